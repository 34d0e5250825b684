import { accessSync, constants, readFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vitest/config'

const here = (path: string) => new URL(path, import.meta.url).pathname
const { exports } = JSON.parse(readFileSync(here('package.json'), 'utf8')) as { exports: object }
/** The source of each entry of the package. */
const SOURCES = Object.keys(exports)
  .filter((path) => path !== './package.json')
  .map((path) => ({
    find: new RegExp(`^etn-market${path.slice(1)}$`),
    replacement: here(path === '.' ? 'src/index.ts' : `src/${path.slice(2)}/index.ts`),
  }))

/** These have packages and runs of their own. */
const SEPARATE_PACKAGES = ['**/node_modules/**', 'test/bench/**', 'test/matrix/**', 'examples/dapp/**']
/** These replace modules, and so need modules of their own. */
const ISOLATED_TESTS = 'test/behaviour/slow-schemas.test.ts'
/** Those of `test/package` that do not only read the source. */
const PACKAGE_TESTS = 'test/package/!(clocks|house|import-direction|pictures).test.ts'

/** They send nothing, or have services and transports of their own, which is the same in either project; or many random cases: `policy-model` tries some of each kind. */
const VIRTUAL_CONNECTIONS_ONLY = [
  'test/behaviour/{cache,cache-store,cache-trust,fronts,input,key-guarantee,large-answers,late-charges,liveness,machine-sleep,odd-transport,proxy-refused,replaced-promise,surroundings,waiting-transport,who-pays}.test.ts',
]

/** These start programs, compilers or servers, use real sockets, or set the time zone of their process. Those of `test/cli` run the built program. */
const INTEGRATION_TESTS = [
  'test/{examples,node}/**/*.test.ts',
  'test/file-store/crash.test.ts',
  'test/transport/time-zone.test.ts',
  'test/fake/{fixtures,guide,process,tsdoc-examples}.test.ts',
  'test/cli/{built,fake,full-disk,help,prices,processes,terminal}.test.ts',
]
/** These need programs that npm does not install: a server of Redis, and libfaketime. `npm test` leaves them out, so that it does the same everywhere. */
const SERVER_TESTS = ['test/redis/**/*.test.ts', 'test/examples/fleet.test.ts', 'test/node/machine-sleep.test.ts']

/** Files of a test need not survive a power cut, and a disk makes each that is stored safely wait. */
const MEMORY_FOLDER = '/dev/shm'
function temporaryFolder(): { TMPDIR?: string } {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK)
    return { TMPDIR: MEMORY_FOLDER }
  } catch {
    return {}
  }
}

/** They wait most of the time, so that many files run side by side, after everything that computes. */
const MANY_PROCESSES = {
  pool: 'forks',
  maxWorkers: 4,
  // Examples load the built package, as a user's program does: to compile its source takes longer than most examples run.
  env: { TSX_TSCONFIG_PATH: here('test/examples/tsconfig.json') },
} as const

/** A project with another number of workers needs a turn of its own. `sequence.groupOrder` would be lost with `--sequence.shuffle`. */
const runAfterOthers: Plugin = {
  name: 'run-after-others',
  configureVitest({ project }) {
    project.config.sequence = { ...project.config.sequence, groupOrder: 1 }
  },
}

export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    // Much more than any test takes on a busy machine. Each wait within a test has a shorter limit, and reports what it saw last.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    tags: [{ name: 'property', description: 'tries random cases, see test/support/property.ts' }],
    maxWorkers: '100%',
    // No module holds state, so that test files can share them: to load them anew takes longer than many files.
    isolate: false,
    pool: 'threads',
    setupFiles: ['test/support/count-turns.ts', 'test/support/seed.ts'],
    projects: [
      {
        // In this process, in virtual time.
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...SEPARATE_PACKAGES, PACKAGE_TESTS, ISOLATED_TESTS, ...INTEGRATION_TESTS, ...SERVER_TESTS],
          env: temporaryFolder(),
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: [ISOLATED_TESTS], isolate: true },
      },
      {
        // What is published: needs `npm run build`.
        extends: true,
        test: { name: 'package', include: [PACKAGE_TESTS], globalSetup: 'test/package/pack-once.ts' },
      },
      {
        // Programs and sockets.
        extends: true,
        plugins: [runAfterOthers],
        test: {
          name: 'integration',
          include: INTEGRATION_TESTS,
          exclude: [...SEPARATE_PACKAGES, ...SERVER_TESTS],
          ...MANY_PROCESSES,
        },
      },
      {
        // Fleets on real servers, and machines that sleep. Needs `redis-server` and libfaketime.
        extends: true,
        plugins: [runAfterOthers],
        test: { name: 'servers', include: SERVER_TESTS, ...MANY_PROCESSES },
      },
      {
        // The same behaviour over real connections, with the transport of `etn-market/node`.
        extends: true,
        test: {
          name: 'real-connection',
          include: ['test/behaviour/**/*.test.ts'],
          exclude: [ISOLATED_TESTS, ...VIRTUAL_CONNECTIONS_ONLY],
          env: { ETN_MARKET_TEST_REAL_CONNECTION: '1' },
        },
      },
    ],
  },
})
