import { chromiumSettings } from '../runtimes/chromium.ts'
import { type Check, versionOf } from '../support/result.ts'
import { bundleTests, runVitest } from '../support/vitest.ts'

const PACKAGES = ['react', 'react-dom', '@tanstack/query-core', '@tanstack/react-query']
const DEPENDENCIES = [
  ...['react', 'react/jsx-runtime', 'react-dom/client', 'react-dom/server', '@tanstack/react-query', 'etn-market'],
  ...['fake', 'feed', 'format', 'react', 'tanstack-query'].map((entry) => `etn-market/${entry}`),
]

/** Components in a page, under StrictMode, with the ledger of the fake. */
export const react: Check = {
  name: 'React and TanStack Query in Chromium',
  async run(installed) {
    const project = installed.project('react')
    for (const name of [...PACKAGES, 'vitest', '@vitest/browser-playwright', 'playwright']) project.link(name)
    await bundleTests(project, ['browser/react.test.tsx'])
    return runVitest(project, {
      node: process.execPath,
      config: 'vitest.config.ts',
      version: `${versionOf('react')}, ${versionOf('@tanstack/react-query')}`,
      env: { ...chromiumSettings(), MATRIX_TESTS: 'react.test.js', MATRIX_DEPENDENCIES: DEPENDENCIES.join(' ') },
    })
  },
}
