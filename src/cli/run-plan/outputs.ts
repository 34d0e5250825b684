import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { resolveFile } from '../../file-store/replace-file.ts'
import { usageError } from '../failure.ts'
import { type NamedFile, nameFile, requireWritable, statPath, tryAccess } from '../files.ts'
import { kindOf, type PlanFile, type PlanLine } from '../plan-file.ts'
import { openSeriesFile, type SeriesId, seriesIdOf, seriesName } from '../series.ts'

/** Where a run of a plan keeps its state. */
export const stateOf = ({ path }: Pick<PlanFile, 'path'>): string => `${path}.state.json`

interface OutputChecks {
  /** The file of the key. */
  readonly keyFile?: string | undefined
  /** Whether files are opened, too, and folders made. */
  readonly opens: boolean
}

/** Compares everything that the lines of a plan write, and what else a run reads and keeps, before anything is sent. */
export async function checkOutputs(plan: string, file: PlanFile, { keyFile, opens }: OutputChecks): Promise<void> {
  const inFolder = (name: string) => nameFile(file.folder, name)
  const owners = new Map<string, PlanLine | string>()
  const take = (path: string, what: string) => {
    for (const key of keysOf(path)) owners.set(key, what)
  }
  requireOneName(plan, file)
  take(file.path, 'the plan')
  for (const ending of ['', '.lock', '.new']) take(stateOf(file) + ending, 'the state of the run')
  for (const { source } of file.lines) if (source !== undefined) take(source, 'a list of addresses')
  if (keyFile !== undefined) take(keyFile, 'the file of the key')
  for (const line of file.lines) {
    const place = `${plan}: lines[${line.index}]`
    for (const { name, path } of await findOutputs(line, inFolder, place, opens)) {
      const keys = keysOf(path)
      const other = keys.map((key) => owners.get(key)).find((owner) => owner !== undefined && owner !== line)
      if (typeof other === 'string') throw usageError(`${place}: file ${name} is ${other}. Name another file.`)
      for (const key of keys) owners.set(key, line)
      if (other === undefined) continue
      const isJournal = kindOf(line) === 'sweep' && kindOf(other) === 'sweep'
      const shared = `one ${isJournal ? 'journal' : 'file'}, ${line.file ?? (isJournal ? line.operation : name)}`
      throw usageError(`${plan}: lines[${other.index}] and lines[${line.index}] have ${shared}: give each a file.`)
    }
  }
}

/** The state is kept under the name of the plan: of a plan with hard links, each name would have a limit of its own. */
function requireOneName(name: string, { path }: PlanFile): void {
  if ((statPath(path)?.nlink ?? 1n) === 1n) return
  const problem = 'it has several names (hard links), and each would have a limit of its own.'
  throw usageError(`${name}: ${problem} Use a symbolic link, or a copy.`)
}

type ToFile = (name: string) => NamedFile

async function findOutputs(line: PlanLine, file: ToFile, place: string, opens: boolean): Promise<NamedFile[]> {
  const kind = kindOf(line)
  if (kind === 'candles') {
    const names = seriesOf(line)
    for (const { id, name } of names) {
      if (!opens) {
        if (existsSync(dirname(file(name).path))) requireWritable(`${place}: file`, file(name), 'replaced')
        continue
      }
      tryAccess(`${place}: file ${name}`, () => mkdirSync(dirname(file(name).path), { recursive: true }))
      using _ = await openSeriesFile(file(name), id)
    }
    return names.flatMap(({ name }) => [name, `${name}.json`]).map(file)
  }
  const name = kind === 'sweep' ? journalName(line, 0) : line.file
  if (name === undefined) return []
  const { path } = file(name)
  const shown = `${place}: file ${line.file ?? name}`
  const found = statPath(path)
  if (found?.isFIFO()) throw usageError(`${shown}: it is a pipe. Name a file.`)
  if (!opens) requireWritable(`${place}: file`, { name: line.file ?? name, path })
  else
    tryAccess(shown, () => {
      // A link without a target stays one.
      const target = resolveFile(path)
      closeSync(openSync(target, 'a'))
      if (found === undefined) rmSync(target)
    })
  return [file(name)]
}

/** What two names of one file have in common. The journals of a line are one for each time. */
function keysOf(path: string): string[] {
  const found = statPath(path)
  const resolved = resolveFar(path).replace(/-\d{4}-\d\d-\d\d(T\d{4})?(-\d+)?(?=\.[^./\\]*$)/, '-*')
  return [resolved, ...(found === undefined || found.ino === 0n ? [] : [`${found.dev} ${found.ino}`])]
}

/** As `resolveFile`, also in folders that are still to be made. */
function resolveFar(path: string): string {
  return existsSync(dirname(path)) ? resolveFile(path) : join(resolveFar(dirname(path)), basename(path))
}

/** Such as `locks-2026-11-23.jsonl`; with the time where it is due more than once a day, with a number more than once a minute. */
export function journalName({ file, operation, times }: PlanLine, due: number, number = 1): string {
  const [, base = '', ending = ''] = /^(.*?)(\.[^./\\]*)?$/s.exec(file ?? `${operation}.jsonl`) ?? []
  const length = times.once === undefined ? 'YYYY-MM-DDTHH:MM'.length : 'YYYY-MM-DD'.length
  const time = new Date(due).toISOString().slice(0, length).replace(':', '')
  return `${base}-${time}${number > 1 ? `-${number}` : ''}${ending || '.jsonl'}`
}

export function seriesOf({ params, addresses = [], file = 'candles', count }: PlanLine) {
  return addresses.map((address): { readonly id: SeriesId; readonly name: string } => {
    const id = seriesIdOf({ ...params, address })
    return { id, name: seriesName(file, id, count > 1) }
  })
}
