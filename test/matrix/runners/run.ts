import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chromiumSettings } from '../runtimes/browsers.ts'
import { BUN, DENO, versionOfProgram } from '../runtimes/processes.ts'
import { exec, execOrThrow, tail } from '../support/exec.ts'
import { type InstalledPackage, MODULES, type Project, ROOT } from '../support/project.ts'
import { type Check, versionOf } from '../support/result.ts'

/** The files of a section of the guide, in whose fences they are named: `js file=jest/price.test.js`. */
const GUIDE = readFileSync(join(ROOT, 'examples/testing/GUIDE.md'), 'utf8')
const FILES = [...GUIDE.matchAll(/^```\w+ file=(\S+)\n(.*?)^```$/gms)].map(([, path = '', text = '']) => ({
  path,
  text,
}))

const node = (major: number) => join(MODULES, `node${major}/bin/node`)

/** A project of a user with the files of a section, and the folder that they are in. */
function write(installed: InstalledPackage, section: string, links: readonly string[] = []) {
  const project = installed.project(`runner ${section}`)
  for (const name of links) project.link(name)
  // A test of CommonJS beside it is one, as in a project without a type.
  const manifest = JSON.stringify({ type: /^(jest|msw)/.test(section) ? 'commonjs' : 'module' })
  const files = [...FILES, { path: `${section}/package.json`, text: manifest }]
  for (const { path, text } of files) if (path.startsWith(`${section}/`)) project.write(path, text)
  return { project, folder: join(project.folder, section) }
}

/** How the runners print the number of tests that passed: `node:test`, Jest and vitest, mocha and Bun, Deno. */
const PASSED = /^# pass (\d+)|^ *Tests:? +(\d+) passed|^ *(\d+) pass(?:ing\b.*)?$|^ok \| (\d+) passed/m

/** Runs the tests of a section and finds in the output how many have passed. @throws with what failed */
async function runSection(
  { folder }: { folder: string },
  [command, ...args]: readonly [string, ...string[]],
  env: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, stderr } = await exec(command, args, { cwd: folder, env, limitMs: 180_000 })
  const output = stdout + stderr
  const passed = Number(
    PASSED.exec(output)
      ?.slice(1)
      .find((count) => count !== undefined) ?? 0,
  )
  if (code !== 0 || passed === 0) throw new Error(`exited with ${code}:\n${tail(output, 40)}`)
  return `${passed} tests`
}

interface Runner {
  readonly name: string
  readonly section: string
  readonly links?: readonly string[]
  readonly command: readonly [string, ...string[]]
  readonly env?: () => Record<string, string>
  version(): string | Promise<string>
  prepare?(project: Project, folder: string): void
}

const JEST = [node(24), '--experimental-vm-modules', join(MODULES, 'jest/bin/jest.js'), '--no-cache'] as const
const MOCHA = join(MODULES, 'mocha/bin/mocha.js')
const VITEST = '../node_modules/vitest/vitest.mjs'
const REACT = ['react', 'react-dom', '@testing-library/react']
const JEST_LINKS = ['@swc/jest', 'jest-environment-jsdom', 'jest-fixed-jsdom', ...REACT]

const RUNNERS: readonly Runner[] = [
  ...[20, 26].map((major): Runner => {
    const command = [node(major), '--test', '--test-reporter=tap'] as const
    return {
      name: `node:test on Node ${major}`,
      section: 'node-test',
      command,
      version: () => versionOfProgram(`node${major}/bin/node`),
    }
  }),
  {
    name: 'Jest: CommonJS, ES modules, swc',
    section: 'jest',
    links: JEST_LINKS,
    command: JEST,
    version: () => versionOf('jest'),
  },
  {
    name: 'Jest with jsdom and Testing Library',
    section: 'jest-jsdom',
    links: JEST_LINKS,
    command: JEST,
    version: () => versionOf('jest-environment-jsdom'),
    // Also the ES modules of the package.
    prepare(_, folder) {
      const [module] = FILES.filter(({ path }) => path === 'jest/esm.test.mjs')
      writeFileSync(join(folder, 'esm.test.mjs'), module?.text ?? '')
      const config = join(folder, 'jest.config.js')
      writeFileSync(config, `${readFileSync(config, 'utf8')}module.exports.testMatch = ['**/*.test.{jsx,mjs}']\n`)
    },
  },
  {
    name: 'Jest with jest-fixed-jsdom',
    section: 'jest-jsdom',
    links: JEST_LINKS,
    command: [...JEST, '--env=jest-fixed-jsdom', 'price'],
    version: () => versionOf('jest-fixed-jsdom'),
  },
  { name: 'mocha', section: 'mocha', command: [node(20), MOCHA, '*.test.mjs'], version: () => versionOf('mocha') },
  { name: 'Bun', section: 'bun', command: [join(MODULES, BUN), 'test'], version: () => versionOfProgram(BUN) },
  {
    name: 'Deno, with its sanitizers',
    section: 'deno',
    command: [
      join(MODULES, DENO),
      ...['test', '--sanitize-ops', '--sanitize-resources', '--allow-env', '--allow-net=127.0.0.1'],
      ...['--no-check', '--node-modules-dir=manual', '--cached-only'],
    ],
    version: () => versionOfProgram(DENO),
  },
  {
    name: 'vitest',
    section: 'vitest',
    links: ['vitest'],
    command: [node(20), VITEST, 'run'],
    version: () => versionOf('vitest'),
  },
  {
    name: 'vitest with jsdom',
    section: 'vitest-jsdom',
    links: ['vitest', 'jsdom'],
    command: [node(24), VITEST, 'run'],
    version: () => `${versionOf('vitest')}, jsdom ${versionOf('jsdom')}`,
  },
  {
    name: 'vitest in Chromium',
    section: 'vitest-browser',
    links: ['vitest', '@vitest/browser-playwright', 'playwright'],
    command: [node(24), VITEST, 'run'],
    env: () => {
      const { MATRIX_CHROMIUM: executablePath, MATRIX_CHROMIUM_FLAGS: flags = '' } = chromiumSettings()
      return { CHROMIUM: JSON.stringify({ executablePath, args: flags.split(' ') }) }
    },
    version: () => versionOf('vitest'),
  },
  ...(['msw2', 'msw3'] as const).map(
    (msw): Runner => ({
      name: msw,
      section: 'msw',
      command: [node(22), '--test', '--test-reporter=tap'],
      version: () => versionOf(msw),
      prepare: (project) => project.link('msw', msw),
    }),
  ),
]

/** Each section of the guide of test runners, as it stands there. */
const runners: readonly Check[] = RUNNERS.map(({ name, section, links, command, env, version, prepare }) => ({
  name: `runner: ${name}`,
  async run(installed) {
    const project = write(installed, section, links)
    prepare?.(project.project, project.folder)
    return { version: await version(), detail: await runSection(project, command, env?.()) }
  },
}))

/** What the package names as a peer, what it works with, and named before: the oldest and the newest, all in one project. */
const NEIGHBOURS = {
  oldest: {
    ...{
      redis: '4.0.0',
      ioredis: '4.0.0',
      iovalkey: '0.0.1',
      vitest: '3.2.0',
      msw: '2.4.0',
      react: '18.0.0',
      zod: '4.0.0',
    },
    ...{ '@tanstack/query-core': '5.0.0', '@opentelemetry/api': '1.3.0', ky: '1.14.3', 'p-retry': '7.1.1' },
  },
  newest: {
    ...{
      redis: '6.3.1',
      ioredis: '6.0.0',
      iovalkey: '0.4.0',
      vitest: '5.1.2',
      msw: '3.0.5',
      react: '19.3.1',
      zod: '4.6.7',
    },
    ...{ '@tanstack/query-core': '5.108.4', '@opentelemetry/api': '1.10.0', ky: '2.1.0', 'p-retry': '9.0.0' },
  },
  none: {},
} as const

/**
 * npm decides what fits together before it downloads anything, and that is where it failed: with ERESOLVE, or with an internal error. So the tree
 * is resolved and not installed. A project without neighbours is one, too: npm 10 on Node 20 failed there.
 */
async function resolveBeside({ tarball, project }: InstalledPackage, major: number, npm: 10 | 11, versions: object) {
  const { folder } = project('npm beside others')
  const own = join(
    folder,
    `node-${major}-npm-${npm}-${Object.keys(versions).length}-${Math.random().toString(36).slice(2)}`,
  )
  mkdirSync(own)
  writeFileSync(join(own, 'package.json'), JSON.stringify({ private: true, dependencies: versions }))
  const cli = join(MODULES, `npm${npm}/bin/npm-cli.js`)
  const flags = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const env = { PATH: `${dirname(node(major))}:${process.env.PATH}` }
  await execOrThrow(node(major), [cli, 'install', ...flags, tarball], { cwd: own, env, limitMs: 240_000 })
  if (!existsSync(join(own, 'package-lock.json'))) throw new Error('npm has written no tree')
}

const neighbours: readonly Check[] = ([10, 11] as const).map((npm) => ({
  name: `npm ${npm} on Node 20 to 26, beside the oldest and the newest of everything`,
  async run(installed) {
    // All on the oldest Node, where npm chooses otherwise than on newer ones.
    for (const versions of Object.values(NEIGHBOURS)) await resolveBeside(installed, 20, npm, versions)
    for (const major of [22, 24, 26]) await resolveBeside(installed, major, npm, NEIGHBOURS.newest)
    return { version: versionOf(`npm${npm}`), detail: 'npm install resolves what it installs' }
  },
}))

/** In vitest 3.2 a page of jsdom has an `AbortSignal` that the `Request` of Node refuses. */
const NOT_BUILT = `// @vitest-environment jsdom
import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { expect, test } from 'vitest'

test('a request that cannot be built is a mistake of the program', async () => {
  const fake = createFakeService()
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const error = await client.etn.price().catch((error) => error)
  expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'request_not_built', attempts: 0, charge: 'none' })
  expect(error.cause).toMatchObject({ name: 'TypeError' })
  fake.expectRequests(0)
})
`

/** The first version of vitest that is promised and a newer one than this project has, each installed beside the tarball by npm. */
const otherVitest: readonly Check[] = (
  [
    ['3.2.4', 24],
    ['5.1.2', 22],
  ] as const
).map(([version, major]) => ({
  name: `runner: vitest ${version}`,
  async run(installed) {
    const isOld = version.startsWith('3')
    const { folder } = write(installed, 'vitest')
    const home = installed.project(`vitest ${version}`).folder
    cpSync(folder, join(home, 'tests'), { recursive: true })
    const [page] = FILES.filter(({ path }) => path === 'vitest-jsdom/price.test.js')
    writeFileSync(join(home, 'tests/page.test.js'), isOld ? NOT_BUILT : (page?.text ?? ''))
    const env = { PATH: `${dirname(node(major))}:${process.env.PATH}` }
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
    const cli = join(MODULES, 'npm11/bin/npm-cli.js')
    await execOrThrow(node(major), [cli, 'install', ...flags, `vitest@${version}`, 'jsdom@26.1.0'], { cwd: home, env })
    const command = [node(major), VITEST, 'run'] as const
    return { version, detail: await runSection({ folder: join(home, 'tests') }, command) }
  },
}))

export const testRunners: readonly Check[] = [...runners, ...otherVitest, ...neighbours]
