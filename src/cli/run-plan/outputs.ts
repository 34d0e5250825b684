import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SeriesId } from '../../candles/series.ts'
import { resolveFile } from '../../file-store/replace-file.ts'
import { usageError } from '../failure.ts'
import { type NamedFile, nameFile, requireWritable, statPath } from '../files.ts'
import type { PlanFile } from '../plan-file.ts'
import type { PlanLine } from '../plan-line.ts'
import { openSeriesFile, seriesIdOf, seriesName } from '../series.ts'

/** Where a run of a plan keeps its state. */
export const stateOf = ({ path }: Pick<PlanFile, 'path'>): string => `${path}.state.json`

/**
 * Checks everything that the lines of a plan write, and compares it with what else a run reads and keeps, before anything is sent. It leaves no file
 * and no folder behind.
 */
export async function checkOutputs(plan: string, file: PlanFile, keyFile?: string): Promise<void> {
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
    for (const { name, path } of await findOutputs(line, inFolder, place)) {
      const keys = keysOf(path)
      const other = keys.map((key) => owners.get(key)).find((owner) => owner !== undefined && owner !== line)
      if (typeof other === 'string') throw usageError(`${place}: file ${name} is ${other}. Name another file.`)
      for (const key of keys) owners.set(key, line)
      if (other === undefined) continue
      const isJournal = line.kind === 'sweep' && other.kind === 'sweep'
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

async function findOutputs(line: PlanLine, file: ToFile, place: string): Promise<NamedFile[]> {
  const kind = line.kind
  const by = `${place}: file`
  if (kind === 'candles') {
    const names = seriesOf(line)
    for (const { id, name } of names) {
      const { path } = file(name)
      const folder = existingFolder(path)
      // Folders that are missing are made when there is something to write.
      if (folder !== dirname(path)) requireWritable(by, { name, path: join(folder, basename(path)) }, 'replaced')
      else {
        using _ = await openSeriesFile(by, file(name), id)
      }
    }
    return names.flatMap(({ name }) => [name, `${name}.json`]).map(file)
  }
  const name = kind === 'sweep' ? journalName(line, 0) : line.file
  if (name === undefined) return []
  const output = { name: line.file ?? name, path: file(name).path }
  if (statPath(output.path)?.isFIFO()) throw usageError(`${by} ${output.name}: it is a pipe. Name a file.`)
  requireWritable(by, output)
  return [file(name)]
}

function existingFolder(path: string): string {
  const folder = dirname(path)
  return existsSync(folder) ? folder : existingFolder(folder)
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
