import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotInstalledError, versionOf } from '../support/result.ts'
import { bundleScenario, type Runtime } from './runtime.ts'

/** @throws NotInstalledError */
export async function loadMiniflare(): Promise<typeof import('miniflare')> {
  return import('miniflare').catch((error: Error) => {
    throw new NotInstalledError(
      `miniflare is not installed: npm ci --prefix test/matrix (${error.message.split('\n')[0]})`,
    )
  })
}

/** A worker, bundled into one file as its tools do, with the export conditions of workerd. */
const worker = (name: string, compatibilityDate: string): Runtime => ({
  name,
  async version() {
    await loadMiniflare()
    return versionOf('workerd')
  },
  async run(project, baseUrl) {
    const { Miniflare } = await loadMiniflare()
    const scriptPath = await bundleScenario(project, 'worker', 'worker.mjs', {
      external: [],
      nodePaths: [join(project.folder, 'node_modules')],
      mainFields: ['module', 'main'],
      conditions: ['workerd', 'import'],
    })
    const script = readFileSync(scriptPath, 'utf8')
    const dispatch = async () => {
      const worker = new Miniflare({ modules: true, script, compatibilityDate })
      try {
        const response = await worker.dispatchFetch(`http://worker.test/?baseUrl=${encodeURIComponent(baseUrl)}`)
        const text = await response.text()
        if (!response.ok) throw new Error(`the worker responded with ${response.status}: ${text.slice(0, 500)}`)
        return { report: JSON.parse(text) }
      } finally {
        await worker.dispose()
      }
    }
    // On a busy machine Miniflare sometimes loses its own connection to the worker.
    return dispatch().catch((error: Error) => (error.message === 'fetch failed' ? dispatch() : Promise.reject(error)))
  },
})

export const workerd = worker('workerd', '2026-04-01')
/** From this date on a worker may call `new ReadableStream()`, as ky does while it loads. */
export const oldestWorkerd = worker('workerd, compatibility date 2022-11-30', '2022-11-30')
