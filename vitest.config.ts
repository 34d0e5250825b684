import { defineConfig } from 'vitest/config'

const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname

/** These have packages and runs of their own. */
const SEPARATE_PACKAGES = ['**/node_modules/**', 'test/bench/**', 'test/matrix/**']
/** Those of `test/package` that do not only read the source. */
const PACKAGE_TESTS = 'test/package/!(house|import-direction|surface).test.ts'

export default defineConfig({
  resolve: {
    alias: [
      { find: /^etn-market$/, replacement: source('index.ts') },
      { find: /^etn-market\/fake$/, replacement: source('fake/index.ts') },
      { find: /^etn-market\/feed$/, replacement: source('feed/index.ts') },
      { find: /^etn-market\/msw$/, replacement: source('msw/index.ts') },
      { find: /^etn-market\/node$/, replacement: source('node/index.ts') },
      { find: /^etn-market\/otel$/, replacement: source('otel/index.ts') },
      { find: /^etn-market\/proxy$/, replacement: source('proxy/index.ts') },
      { find: /^etn-market\/vitest$/, replacement: source('vitest/index.ts') },
      { find: /^etn-market\/schemas$/, replacement: source('schemas/index.ts') },
    ],
  },
  test: {
    testTimeout: 20_000,
    maxWorkers: '100%',
    setupFiles: ['test/support/count-turns.ts'],
    projects: [
      {
        // Everything that needs no build.
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...SEPARATE_PACKAGES, PACKAGE_TESTS],
          typecheck: { enabled: true, include: ['test/types/**/*.test-d.ts'] },
        },
      },
      {
        // What is published: needs `npm run build`.
        extends: true,
        test: { name: 'package', include: [PACKAGE_TESTS] },
      },
      {
        // The same behaviour over real connections, with the transport of `etn-market/node`.
        extends: true,
        test: {
          name: 'real-connection',
          include: ['test/behaviour/**/*.test.ts'],
          env: { ETN_MARKET_TEST_REAL_CONNECTION: '1' },
        },
      },
    ],
  },
})
