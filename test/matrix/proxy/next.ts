import { execOrThrow } from '../support/exec.ts'
import { versionOf } from '../support/vitest.ts'
import { startServer } from './server-process.ts'
import { bundle, type ProxyServer } from './servers.ts'
import { KEY } from './settings.ts'

const NEXT = 'node_modules/next/dist/bin/next'
/** The packages are links to other folders, so the root is above both. */
const CONFIG = `export default { turbopack: { root: '/' } }\n`
const ENV = { NEXT_TELEMETRY_DISABLED: '1' }

/** A route handler, built and started as in production. The build has no key. */
export const next: ProxyServer = {
  name: 'proxy: Next route handler',
  version: async () => versionOf('next'),
  async start(project, serviceUrl) {
    const cwd = project.folder
    for (const name of ['next', 'react', 'react-dom']) project.link(name)
    project.write('next.config.mjs', CONFIG)
    await bundle(project, 'serve/next', 'app/api/market/[...path]/route.js')
    await execOrThrow(process.execPath, [NEXT, 'build'], { cwd, env: ENV, limitMs: 300_000 })
    return startServer({
      command: process.execPath,
      args: [NEXT, 'start', '--hostname', '127.0.0.1', '--port', '0'],
      cwd,
      env: { ...ENV, ETN_MARKET_API_KEY: KEY, ETN_MARKET_BASE_URL: serviceUrl },
      end: 'SIGTERM',
    })
  },
}
