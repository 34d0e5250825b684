import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../support/exec.ts'
import { MATRIX, MODULES, type Project } from '../support/project.ts'
import { type Check, versionOf } from '../support/result.ts'

/** The oldest that compiles, the oldest for declarations of zod and TanStack Query, and the oldest for those of msw. */
const [OLDEST, OLDEST_FOR_ZOD, OLDEST_FOR_MSW] = ['5.2', '5.4', '5.9'] as const
/** The last one in JavaScript, and the first native one: what the oldest and these read, those between read, too. */
const [LAST_IN_JAVASCRIPT, NATIVE] = ['6', '7'] as const

/** The module settings of a project, and the extension of its file. */
const RESOLUTIONS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', file: 'mts' },
  bundler: { module: 'esnext', moduleResolution: 'bundler', file: 'ts' },
  'node16, CommonJS': { module: 'node16', moduleResolution: 'node16', file: 'cts' },
  node10: { module: 'commonjs', moduleResolution: 'node10', file: 'ts' },
  // A file of each module system, of which the second imports the first.
  'both module systems': { module: 'nodenext', moduleResolution: 'nodenext', file: 'cts', beside: 'mts' },
}

/** The global types of a project. */
const ENVIRONMENTS = {
  'a page': { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [] },
  Node: { lib: ['ES2022'], types: ['node'] },
  both: { lib: ['ES2022', 'DOM'], types: ['node'] },
}

interface Kind {
  resolution: keyof typeof RESOLUTIONS
  environment: keyof typeof ENVIRONMENTS
}

const PAGE: Kind = { resolution: 'nodenext', environment: 'a page' }
const BUNDLED_PAGE: Kind = { resolution: 'bundler', environment: 'a page' }
const NODE: Kind = { resolution: 'nodenext', environment: 'Node' }
const COMMONJS: Kind = { resolution: 'node16, CommonJS', environment: 'Node' }
const BOTH_SYSTEMS: Kind = { resolution: 'both module systems', environment: 'both' }
const NODE10: Kind = { resolution: 'node10', environment: 'both' }
/** Both versions of msw, and zod, need the types of Node and of a page. */
const MODULES_FOR_BOTH: Kind = { resolution: 'nodenext', environment: 'both' }
const COMMONJS_FOR_BOTH: Kind = { resolution: 'node16, CommonJS', environment: 'both' }

interface Consumer {
  compiler: string
  /** Follows the name of the compiler. */
  title?: string
  sources: readonly string[]
  /** Packages of the matrix to link into the project, and their folders. */
  packages?: Readonly<Record<string, string>>
  kinds: readonly Kind[]
}

const ENTRIES = ['use', 'use-together']
const QUERY = '@tanstack/query-core'
const SCHEMAS = { title: ', zod 4.0.0', sources: ['use-schemas'], packages: { zod: 'zod-4.0.0', [QUERY]: QUERY } }
const MSW_2 = { title: ', msw2', sources: ['use-msw'], packages: { msw: 'msw2' } }
const MSW_3 = { title: ', msw3', sources: ['use-msw'], packages: { msw: 'msw3' } }
const COMMON = { '@types/node': '@types/node', 'undici-types': 'undici-types' }

/** The native compiler takes a fifth of the time, but has no `node10`. CommonJS under node16 cannot require msw 3. */
const CONSUMERS: readonly Consumer[] = [
  { compiler: NATIVE, sources: ENTRIES, kinds: [PAGE, NODE, BUNDLED_PAGE, COMMONJS, BOTH_SYSTEMS] },
  { compiler: OLDEST, sources: ENTRIES, kinds: [BUNDLED_PAGE, COMMONJS, BOTH_SYSTEMS, NODE10] },
  { compiler: LAST_IN_JAVASCRIPT, sources: ENTRIES, kinds: [PAGE, NODE10] },
  { compiler: NATIVE, ...SCHEMAS, kinds: [MODULES_FOR_BOTH] },
  { compiler: OLDEST_FOR_ZOD, ...SCHEMAS, kinds: [COMMONJS_FOR_BOTH] },
  { compiler: NATIVE, ...MSW_2, kinds: [MODULES_FOR_BOTH] },
  { compiler: OLDEST_FOR_MSW, ...MSW_2, kinds: [COMMONJS_FOR_BOTH] },
  { compiler: NATIVE, ...MSW_3, kinds: [MODULES_FOR_BOTH] },
]

/** Type-checks a user's files in projects of every kind, with `strict` and without `skipLibCheck`. */
export const consumers: readonly Check[] = CONSUMERS.map(
  (consumer): Check => ({
    name: `TypeScript ${consumer.compiler}${consumer.title ?? ''}`,
    async run(installed) {
      const project = installed.project(`types${consumer.title ?? ''}`)
      for (const [name, from] of Object.entries({ ...COMMON, ...consumer.packages })) project.link(name, from)
      return checkAll(project, consumer)
    },
  }),
)

async function checkAll(project: Project, { compiler, sources, kinds }: Consumer) {
  const version = versionOf(`typescript-${compiler}`)
  const problems: string[] = []
  for (const kind of kinds) problems.push(...(await compile(project, compiler, sources, kind)))
  if (problems.length > 0) throw new Error(`${version}\n${problems.join('\n')}`)
  return { version, detail: kinds.map(({ resolution, environment }) => `${resolution} for ${environment}`).join('; ') }
}

async function compile(
  project: Project,
  compiler: string,
  sources: readonly string[],
  { resolution, environment }: Kind,
): Promise<string[]> {
  const { file, beside, ...modules } = { beside: undefined, ...RESOLUTIONS[resolution] }
  const folder = `${resolution} ${environment}`.replaceAll(/\W+/g, '-')
  const extensions = {
    ...Object.fromEntries(sources.map((source) => [source, file])),
    ...(beside && { 'use-other': beside }),
  }
  const files = Object.entries(extensions).map(([source, extension]) => {
    const path = `${source}.${extension}`
    project.write(`${folder}/${path}`, readFileSync(join(MATRIX, 'consumers', `${source}.ts`), 'utf8'))
    return path
  })
  const compilerOptions = {
    ...modules,
    // TypeScript 6 says that node10 goes; those before know no such version.
    ...(modules.moduleResolution === 'node10' && compiler === LAST_IN_JAVASCRIPT ? { ignoreDeprecations: '6.0' } : {}),
    ...ENVIRONMENTS[environment],
    typeRoots: ['../node_modules/@types'],
    target: 'ES2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    // Checking the compiler's own declarations would double the time.
    skipDefaultLibCheck: true,
    // What a user exports must be possible to declare. The oldest names nothing that another file of a package declares.
    declaration: compiler !== OLDEST,
    noEmit: true,
  }
  project.write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files }))
  const args = [join(MODULES, `typescript-${compiler}`, 'bin/tsc'), '-p', folder, '--pretty', 'false']
  const { code, stdout, stderr } = await exec(process.execPath, args, { cwd: project.folder, limitMs: 300_000 })
  if (code === 0) return []
  const errors = (stdout + stderr).trim().split('\n')
  // Errors inside msw's own declarations are not ours.
  return errors.filter((line) => !/node_modules\/msw[23]\//.test(line))
}
