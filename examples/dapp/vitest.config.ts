import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: ['test/*.test.ts'],
    globalSetup: 'test/support/start-demo.ts',
    // Two browsers at once would slow each other down. One process for all files loads the driver and the library once.
    fileParallelism: false,
    isolate: false,
    // Six times as long as on a machine with two cores.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
