import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { execute } from '../support/exec.ts'
import { MATRIX, MODULES, type Project } from '../support/project.ts'
import { attempt, NotHere, type Result } from '../support/result.ts'

const COMPILERS = ['5.6', '5.9', '6', '7']

/** How a project finds its modules, and what its file is called. */
const RESOLUTIONS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', file: 'mts' },
  bundler: { module: 'esnext', moduleResolution: 'bundler', file: 'ts' },
  'node16, CommonJS': { module: 'node16', moduleResolution: 'node16', file: 'cts' },
}

/** What a project knows of the world. */
const WORLDS = {
  'a page': { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [] },
  Node: { lib: ['ES2022'], types: ['node'] },
  both: { lib: ['ES2022', 'DOM'], types: ['node'] },
}

interface Kind {
  source: 'use' | 'use-msw'
  resolution: keyof typeof RESOLUTIONS
  world: keyof typeof WORLDS
}

const kinds = (
  source: Kind['source'],
  resolutions: readonly Kind['resolution'][],
  worlds: readonly Kind['world'][],
): readonly Kind[] => resolutions.flatMap((resolution) => worlds.map((world) => ({ source, resolution, world })))

/** msw 3 cannot be required by node16, and both ask for the types of Node as well as those of a page. */
const CHECKS: readonly { beside: '' | 'msw2' | 'msw3'; kinds: readonly Kind[] }[] = [
  { beside: '', kinds: kinds('use', ['nodenext', 'bundler', 'node16, CommonJS'], ['a page', 'Node']) },
  { beside: 'msw2', kinds: kinds('use-msw', ['nodenext', 'node16, CommonJS'], ['both']) },
  { beside: 'msw3', kinds: kinds('use-msw', ['nodenext'], ['both']) },
]

/** Type-checks a user's file in projects of every kind, strictly, the package's own declarations included. */
export async function runConsumers(
  projectOf: (name: string) => Project,
  wanted: (name: string) => boolean,
  tell: (result: Result) => void,
): Promise<void> {
  for (const { beside, kinds } of CHECKS) {
    const chosen = COMPILERS.map((compiler) => ({ compiler, name: `TypeScript ${compiler}${beside && `, ${beside}`}` }))
    const project = chosen.some(({ name }) => wanted(name)) ? projectOf(`types${beside}`) : undefined
    if (project === undefined) continue
    for (const name of ['@types/node', 'undici-types']) project.link(name)
    if (beside !== '') project.link('msw', beside)
    for (const { compiler, name } of chosen)
      if (wanted(name)) tell(await attempt(name, () => checkAll(compiler, project, kinds)))
  }
}

async function checkAll(compiler: string, project: Project, kinds: readonly Kind[]) {
  const folder = join(MODULES, `typescript-${compiler}`)
  const { version, bin } = readPackage(folder)
  const problems: string[] = []
  const left = [...kinds]
  const work = async () => {
    for (let kind = left.shift(); kind !== undefined; kind = left.shift()) {
      problems.push(...(await compile(join(folder, bin.tsc), project, kind)))
    }
  }
  await Promise.all([work(), work()])
  if (problems.length > 0) throw new Error(`${version}\n${problems.join('\n')}`)
  return { version, detail: kinds.map(({ resolution, world }) => `${resolution} for ${world}`).join('; ') }
}

async function compile(tsc: string, project: Project, { resolution, world, source }: Kind): Promise<string[]> {
  const { file, ...modules } = RESOLUTIONS[resolution]
  const folder = `${source} ${resolution} ${world}`.replaceAll(/\W+/g, '-')
  project.write(`${folder}/use.${file}`, readFileSync(join(MATRIX, 'consumers', `${source}.ts`), 'utf8'))
  const compilerOptions = {
    ...modules,
    ...WORLDS[world],
    typeRoots: ['../node_modules/@types'],
    target: 'ES2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    // The compiler's own: half of the time, and nothing of ours.
    skipDefaultLibCheck: true,
    noEmit: true,
  }
  project.write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files: [`use.${file}`] }))
  const args = [tsc, '-p', folder, '--pretty', 'false']
  const { code, stdout, stderr } = await execute(process.execPath, args, { cwd: project.folder })
  if (code === 0) return []
  const complaints = (stdout + stderr).trim().split('\n')
  if (source === 'use') return complaints
  // What msw's own declarations ask of a compiler is msw's affair.
  return complaints.filter((line) => !/node_modules\/msw[23]\//.test(line))
}

function readPackage(folder: string): { version: string; bin: { tsc: string } } {
  try {
    return createRequire(import.meta.url)(join(folder, 'package.json'))
  } catch {
    throw new NotHere('not installed: npm ci --prefix matrix')
  }
}
