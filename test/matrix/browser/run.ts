import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { chromiumSettings } from '../runtimes/chromium.ts'
import { MATRIX, MODULES, type Project } from '../support/project.ts'
import { attempt, type Result } from '../support/result.ts'
import { startService } from '../support/service.ts'
import { runVitest, versionOf } from '../support/vitest.ts'
import { faults, keys } from './keys.ts'

/** The Node that runs each version of msw. msw 3 requires Node 22. */
const NODES = { msw2: process.execPath, msw3: join(MODULES, 'node22/bin/node') }
type Msw = keyof typeof NODES

/** Tests that need a browser, and one suite for both versions of msw in Node and in Chromium. */
export async function runSuites(
  createProject: (name: string) => Project,
  isWanted: (name: string) => boolean,
  addResult: (result: Result) => void,
): Promise<void> {
  for (const msw of ['msw2', 'msw3'] as const) {
    const [inNode, inPage] = [`vitest, ${msw} in Node`, `vitest, ${msw} in Chromium`]
    if (!isWanted(inNode) && !isWanted(inPage)) continue
    const project = await prepare(createProject(msw), msw)
    if (isWanted(inNode)) addResult(await attempt(inNode, () => vitest(project, msw, ['node.test.js'])))
    if (isWanted(inPage)) addResult(await attempt(inPage, () => inChromium(project, msw)))
  }
}

/** Prepares a user's project with the package, msw, vitest and the tests as bundled scripts. */
async function prepare(project: Project, msw: Msw): Promise<Project> {
  project.link('msw', msw)
  for (const name of ['vitest', '@vitest/browser-playwright', 'playwright']) project.link(name)
  await build({
    entryPoints: ['msw/node.test.ts', 'msw/worker.test.ts', 'browser/page.test.ts', 'browser/closing-page.ts'].map(
      (path) => join(MATRIX, path),
    ),
    outdir: project.folder,
    entryNames: '[name]',
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  mkdirSync(join(project.folder, 'public'))
  copyFileSync(join(MATRIX, 'browser/vitest.config.ts'), join(project.folder, 'vitest.config.ts'))
  const worker = 'mockServiceWorker.js'
  copyFileSync(join(MODULES, msw, 'lib', worker), join(project.folder, 'public', worker))
  project.write('node.config.mjs', "export default { test: { include: ['node.test.js'], testTimeout: 20_000 } }\n")
  return project
}

async function inChromium(project: Project, msw: Msw) {
  const settings = chromiumSettings()
  const options = { keys: Object.fromEntries(Object.values(keys).map((key) => [key, 1e6])), cors: 'hidden' as const }
  const service = await startService(project, options)
  try {
    await service.reset(faults)
    const env = { ...settings, MATRIX_BASE_URL: service.baseUrl }
    return await vitest(project, msw, ['page.test.js', 'worker.test.js'], env)
  } finally {
    await service.close()
  }
}

async function vitest(project: Project, msw: Msw, files: readonly string[], env: Record<string, string> = {}) {
  const config = files.includes('node.test.js') ? 'node.config.mjs' : 'vitest.config.ts'
  return runVitest(project, { node: NODES[msw], config, version: versionOf(msw), env })
}
