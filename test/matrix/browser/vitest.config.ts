import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

const {
  MATRIX_BASE_URL: hiddenUrl = '',
  MATRIX_CHROMIUM: executablePath = '',
  MATRIX_CHROMIUM_FLAGS: flags = '',
  MATRIX_DEPENDENCIES: dependencies = '',
} = process.env
const testTimeout = 20_000

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'Node', include: ['node.test.js'], testTimeout } },
      {
        server: { fs: { strict: false } },
        optimizeDeps: { include: dependencies.split(' ') },
        test: {
          name: 'Chromium',
          include: ['{page,react,worker}.test.js'],
          testTimeout,
          provide: { hiddenUrl },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            api: { host: '127.0.0.1' },
            provider: playwright({ launchOptions: { executablePath, args: flags.split(' ') } }),
            instances: [{ browser: 'chromium' }],
            commands: {
              async offlineFor({ context }, ms: number) {
                setTimeout(() => context.setOffline(true), 50)
                setTimeout(() => context.setOffline(false), 50 + ms)
              },
              journal: async () => (await fetch(`${new URL(hiddenUrl).origin}/_fake/journal`)).json(),
            },
          },
        },
      },
    ],
  },
})
