import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromiumSettings } from '../runtimes/chromium.ts'
import { MODULES, type Project } from '../support/project.ts'
import { type Check, versionOf } from '../support/result.ts'
import { startService } from '../support/service.ts'
import { bundleTests, runVitest } from '../support/vitest.ts'
import { faults, keys } from './keys.ts'

/** The Node that runs each version of msw. msw 3 requires Node 22. */
const NODES = { msw2: process.execPath, msw3: join(MODULES, 'node22/bin/node') }
type Msw = keyof typeof NODES

const TESTS = ['msw/node.test.ts', 'msw/worker.test.ts', 'browser/page.test.ts', 'browser/closing-page.ts']

/** Tests that need a browser, and one suite for both versions of msw in Node and in Chromium. */
export const suites = (['msw2', 'msw3'] as const).flatMap((msw): Check[] => [
  {
    name: `vitest, ${msw} in Node`,
    async run(installed) {
      const project = await prepare(installed.project(msw), msw)
      project.write('node.config.mjs', "export default { test: { include: ['node.test.js'], testTimeout: 20_000 } }\n")
      return vitest(project, msw, 'node.config.mjs')
    },
  },
  {
    name: `vitest, ${msw} in Chromium`,
    run: async (installed) => inChromium(await prepare(installed.project(msw), msw), msw),
  },
])

/** Prepares a user's project with the package, msw, vitest and the tests as bundled scripts. */
async function prepare(project: Project, msw: Msw): Promise<Project> {
  project.link('msw', msw)
  for (const name of ['vitest', '@vitest/browser-playwright', 'playwright']) project.link(name)
  await bundleTests(project, TESTS)
  const worker = 'mockServiceWorker.js'
  project.write(`public/${worker}`, readFileSync(join(MODULES, msw, 'lib', worker), 'utf8'))
  return project
}

async function inChromium(project: Project, msw: Msw) {
  const settings = chromiumSettings()
  const options = { keys: Object.fromEntries(Object.values(keys).map((key) => [key, 1e6])), cors: 'hidden' as const }
  const service = await startService(project, options)
  try {
    await service.reset(faults)
    const env = { ...settings, MATRIX_BASE_URL: service.baseUrl }
    return await vitest(project, msw, 'vitest.config.ts', env)
  } finally {
    await service.close()
  }
}

const vitest = (project: Project, msw: Msw, config: string, env: Record<string, string> = {}) =>
  runVitest(project, { node: NODES[msw], config, version: versionOf(msw), env })
