import { defineConfig } from 'vitest/config'

const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname

export default defineConfig({
  resolve: {
    alias: [
      { find: /^etn-market$/, replacement: source('index.ts') },
      { find: /^etn-market\/fake$/, replacement: source('fake/index.ts') },
      { find: /^etn-market\/feed$/, replacement: source('feed/index.ts') },
      { find: /^etn-market\/msw$/, replacement: source('msw/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 20_000,
    typecheck: { enabled: true, include: ['test/types/**/*.test-d.ts'] },
  },
})
