import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromiumSettings } from '../runtimes/browsers.ts'
import { MODULES, type Project } from '../support/project.ts'
import { type Check, versionOf } from '../support/result.ts'
import { startService } from '../support/service.ts'
import { bundleTests, runVitest } from '../support/vitest.ts'
import { faults, keys } from './keys.ts'

const MSW_TESTS = ['msw/node.test.ts', 'msw/worker.test.ts']
const PAGE_TESTS = ['browser/page.test.ts', 'browser/closing-page.ts', 'browser/react.test.tsx']
const REACT = ['react', 'react-dom', '@tanstack/query-core', '@tanstack/react-query']

/** What the pages import. Vite prepares it before the first page, so that none is loaded twice. */
const MSW_IMPORTS = ['etn-market', 'etn-market/fake', 'etn-market/msw', 'msw', 'msw/browser']
const PAGE_IMPORTS = [
  ...['react', 'react/jsx-runtime', 'react-dom/client', 'react-dom/server', '@tanstack/react-query'],
  ...['feed', 'format', 'react', 'tanstack-query'].map((entry) => `etn-market/${entry}`),
]

/** One suite for both versions of msw, in Node and in Chromium. Beside the first are the tests that need a browser, and React under StrictMode. */
export const suites: readonly Check[] = [
  {
    name: 'msw2 in Node and Chromium; pages, React and TanStack Query in Chromium',
    async run(installed) {
      const project = await prepare(installed.project('msw2'), 'msw2', [...MSW_TESTS, ...PAGE_TESTS])
      for (const name of REACT) project.link(name)
      const credits = Object.fromEntries(Object.values(keys).map((key) => [key, 1e6]))
      const service = await startService(project, { keys: credits, cors: 'hidden' })
      try {
        await service.reset(faults)
        return await runVitest(project, {
          node: process.execPath,
          version: ['msw2', 'react', '@tanstack/react-query'].map(versionOf).join(', '),
          env: settings([...MSW_IMPORTS, ...PAGE_IMPORTS], service.baseUrl),
        })
      } finally {
        await service.close()
      }
    },
  },
  {
    name: 'msw3 in Node and Chromium',
    async run(installed) {
      const project = await prepare(installed.project('msw3'), 'msw3', MSW_TESTS)
      // msw 3 requires Node 22.
      const node = join(MODULES, 'node22/bin/node')
      return runVitest(project, { node, version: versionOf('msw3'), env: settings(MSW_IMPORTS) })
    },
  },
]

/** What `vitest.config.ts` reads. */
const settings = (imports: readonly string[], baseUrl = '') => ({
  ...chromiumSettings(),
  MATRIX_BASE_URL: baseUrl,
  MATRIX_DEPENDENCIES: imports.join(' '),
})

/** Prepares a user's project with the package, msw, vitest and the tests as bundled scripts. */
async function prepare(project: Project, msw: 'msw2' | 'msw3', tests: readonly string[]): Promise<Project> {
  project.link('msw', msw)
  for (const name of ['vitest', '@vitest/browser-playwright', 'playwright']) project.link(name)
  await bundleTests(project, tests)
  const worker = 'mockServiceWorker.js'
  project.write(`public/${worker}`, readFileSync(join(MODULES, msw, 'lib', worker), 'utf8'))
  return project
}
