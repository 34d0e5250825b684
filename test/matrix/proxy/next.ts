import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { transform } from 'esbuild'
import { check } from '../scenario/check.ts'
import { execOrThrow } from '../support/exec.ts'
import { type Project, ROOT } from '../support/project.ts'
import { versionOf } from '../support/vitest.ts'
import { startServer } from './server-process.ts'
import { bundle, type ProxyServer } from './servers.ts'
import { KEY } from './settings.ts'

const NEXT = 'node_modules/next/dist/bin/next'
/** The packages are links to other folders, so the root is above both. */
const CONFIG = `export default { turbopack: { root: '/' } }\n`
const ENV = { NEXT_TELEMETRY_DISABLED: '1' }

/** A route handler and the recipe of a visitor's cookie, built and started as in production. The build has no key and no secret. */
export const next: ProxyServer = {
  name: 'proxy: Next route handler',
  version: async () => versionOf('next'),
  async start(project, serviceUrl) {
    const cwd = project.folder
    for (const name of ['next', 'react', 'react-dom']) project.link(name)
    project.write('next.config.mjs', CONFIG)
    await bundle(project, 'serve/next', 'app/api/market/[...path]/route.js')
    for (const name of ['next/proxy', 'visitor']) await writeRecipe(project, name)
    await execOrThrow(process.execPath, [NEXT, 'build'], { cwd, env: ENV, limitMs: 300_000 })
    const server = await startServer({
      command: process.execPath,
      args: [NEXT, 'start', '--hostname', '127.0.0.1', '--port', '0'],
      cwd,
      env: { ...ENV, ETN_MARKET_API_KEY: KEY, ETN_MARKET_BASE_URL: serviceUrl, SESSION_SECRET: 'secret of the matrix' },
      end: 'SIGTERM',
    })
    const page = await fetch(server.origin)
    await page.body?.cancel()
    check('the cookie of a page', page.headers.get('set-cookie')?.replace(/=.*/s, ''), 'visitor')
    return server
  },
}

/** Next reads `config` from the text of the file, so that it must not be bundled. */
async function writeRecipe(project: Project, name: string): Promise<void> {
  const text = readFileSync(join(ROOT, 'examples/recipes', `${name}.ts`), 'utf8')
  const { code } = await transform(text.replace("'../visitor.ts'", "'./visitor.js'"), {
    loader: 'ts',
    target: 'es2022',
  })
  project.write(`${basename(name)}.js`, code)
}
