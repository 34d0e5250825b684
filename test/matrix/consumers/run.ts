import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../support/exec.ts'
import { MATRIX, MODULES, type Project } from '../support/project.ts'
import { type Check, versionOf } from '../support/result.ts'

/** The oldest that compiles, and the oldest for declarations of zod and TanStack Query. */
const [OLDEST, OLDEST_FOR_ZOD] = ['5.2', '5.4'] as const
/** The last one in JavaScript, and the first native one: what the oldest and these read, those between read, too. */
const COMPILERS = [OLDEST, '6', '7']
/** Older ones cannot read the declarations of msw. */
const ENDS_FOR_MSW = ['5.9', '7']
/** TypeScript 7 has no `node10` any more. */
const WITH_NODE10 = [OLDEST, '6']

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
  source: 'use' | 'use-schemas' | 'use-msw' | 'use-together'
  resolution: keyof typeof RESOLUTIONS
  environment: keyof typeof ENVIRONMENTS
}

const kinds = (
  source: Kind['source'],
  resolutions: readonly Kind['resolution'][],
  environments: readonly Kind['environment'][],
): readonly Kind[] =>
  resolutions.flatMap((resolution) => environments.map((environment) => ({ source, resolution, environment })))

interface Kinds {
  /** Follows the name of the compiler. */
  title: string
  compilers: readonly string[]
  /** Packages of the matrix to link into the project, and their folders. */
  packages: Readonly<Record<string, string>>
  kinds: readonly Kind[]
}

const QUERY = '@tanstack/query-core'
const COMMON = { '@types/node': '@types/node', 'undici-types': 'undici-types' }

/** CommonJS under node16 cannot require msw 3. Both versions need the types of Node and of a page. */
const CHECKS: readonly Kinds[] = [
  {
    title: '',
    compilers: COMPILERS,
    packages: {},
    kinds: [
      ...kinds('use', ['nodenext'], ['a page', 'Node']),
      ...kinds('use', ['bundler'], ['a page']),
      ...kinds('use', ['node16, CommonJS'], ['Node']),
    ],
  },
  {
    title: ', entries together',
    compilers: COMPILERS,
    packages: {},
    kinds: kinds('use-together', ['nodenext', 'bundler', 'node16, CommonJS', 'both module systems'], ['both']),
  },
  {
    title: ', entries together under node10',
    compilers: WITH_NODE10,
    packages: {},
    kinds: kinds('use-together', ['node10'], ['both']),
  },
  {
    title: ', zod 4.0.0',
    compilers: [OLDEST_FOR_ZOD],
    packages: { zod: 'zod-4.0.0', [QUERY]: QUERY },
    kinds: kinds('use-schemas', ['nodenext', 'node16, CommonJS'], ['both']),
  },
  {
    title: ', msw2',
    compilers: ENDS_FOR_MSW,
    packages: { msw: 'msw2' },
    kinds: kinds('use-msw', ['nodenext', 'node16, CommonJS'], ['both']),
  },
  {
    title: ', msw3',
    compilers: ENDS_FOR_MSW,
    packages: { msw: 'msw3' },
    kinds: kinds('use-msw', ['nodenext'], ['both']),
  },
]

/** Type-checks a user's file in projects of every kind, with `strict` and without `skipLibCheck`. */
export const consumers: readonly Check[] = CHECKS.flatMap(({ title, compilers, packages, kinds }) =>
  compilers.map(
    (compiler): Check => ({
      name: `TypeScript ${compiler}${title}`,
      async run(installed) {
        const project = installed.project(`types${title}`)
        for (const [name, from] of Object.entries({ ...COMMON, ...packages })) project.link(name, from)
        return checkAll(compiler, project, kinds)
      },
    }),
  ),
)

async function checkAll(compiler: string, project: Project, kinds: readonly Kind[]) {
  const version = versionOf(`typescript-${compiler}`)
  const tsc = join(MODULES, `typescript-${compiler}`, 'bin/tsc')
  const problems: string[] = []
  const queue = [...kinds]
  const worker = async () => {
    for (let kind = queue.shift(); kind !== undefined; kind = queue.shift()) {
      problems.push(...(await compile(tsc, compiler, project, kind)))
    }
  }
  await Promise.all([worker(), worker()])
  if (problems.length > 0) throw new Error(`${version}\n${problems.join('\n')}`)
  return { version, detail: kinds.map(({ resolution, environment }) => `${resolution} for ${environment}`).join('; ') }
}

async function compile(
  tsc: string,
  compiler: string,
  project: Project,
  { resolution, environment, source }: Kind,
): Promise<string[]> {
  const { file, beside, ...modules } = { beside: undefined, ...RESOLUTIONS[resolution] }
  const folder = `${source} ${resolution} ${environment}`.replaceAll(/\W+/g, '-')
  const files = [`use.${file}`, ...(beside === undefined ? [] : [`use-other.${beside}`])]
  const sources = [source, 'use-other']
  for (const [index, path] of files.entries())
    project.write(`${folder}/${path}`, readFileSync(join(MATRIX, 'consumers', `${sources[index]}.ts`), 'utf8'))
  const compilerOptions = {
    ...modules,
    // TypeScript 6 says that node10 goes; those before know no such version.
    ...(modules.moduleResolution === 'node10' && compiler === '6' ? { ignoreDeprecations: '6.0' } : {}),
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
  const args = [tsc, '-p', folder, '--pretty', 'false']
  const { code, stdout, stderr } = await exec(process.execPath, args, { cwd: project.folder, limitMs: 300_000 })
  if (code === 0) return []
  const errors = (stdout + stderr).trim().split('\n')
  if (source !== 'use-msw') return errors
  // Errors inside msw's own declarations are not ours.
  return errors.filter((line) => !/node_modules\/msw[23]\//.test(line))
}
