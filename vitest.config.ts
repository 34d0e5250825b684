import { defineConfig } from 'vitest/config'

const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname

export default defineConfig({
  resolve: {
    alias: [
      { find: /^etn-market$/, replacement: source('index.ts') },
      { find: /^etn-market\/fake$/, replacement: source('fake/index.ts') },
      { find: /^etn-market\/feed$/, replacement: source('feed/index.ts') },
      { find: /^etn-market\/msw$/, replacement: source('msw/index.ts') },
      { find: /^etn-market\/node$/, replacement: source('node/index.ts') },
    ],
  },
  test: {
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          typecheck: { enabled: true, include: ['test/types/**/*.test-d.ts'] },
        },
      },
      {
        // The same behaviour, with what a service does and does not do played over real connections of `etn-market/node`.
        extends: true,
        test: { name: 'over node:http', include: ['test/journey/**/*.test.ts'], env: { ETN_MARKET_TEST_WIRE: '1' } },
      },
    ],
  },
})
