import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: ['test/*.test.ts'],
    globalSetup: 'test/support/start-demo.ts',
    // Two browsers at once would slow each other down.
    fileParallelism: false,
    // Six times as long as on a machine with two cores.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
