import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadMiniflare, workerd } from '../runtimes/workerd.ts'
import { bundle, type ProxyServer } from './servers.ts'
import { KEY } from './settings.ts'

/** A worker with a durable object, bundled into one file as its tools do. */
export const worker: ProxyServer = {
  name: 'proxy: workerd',
  version: workerd.version,
  async start(project, serviceUrl) {
    const { Miniflare } = await loadMiniflare()
    const path = await bundle(project, 'serve/worker', 'worker.mjs', {
      packages: 'bundle',
      nodePaths: [join(project.folder, 'node_modules')],
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['workerd', 'import'],
    })
    const miniflare = new Miniflare({
      modules: true,
      script: readFileSync(path, 'utf8'),
      compatibilityDate: '2026-04-01',
      // Without it nothing reports a visitor who leaves, and streams end after four heartbeats.
      compatibilityFlags: ['enable_request_signal'],
      bindings: { KEY, SERVICE_URL: serviceUrl },
      durableObjects: { MARKET: 'MarketObject' },
      host: '127.0.0.1',
      port: 0,
    })
    const { origin } = await miniflare.ready
    return { origin, close: () => miniflare.dispose() }
  },
}
