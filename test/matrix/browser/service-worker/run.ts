import { join } from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright'
import { CHROMIUM_FLAGS } from '../../../support/chromium.ts'
import { until } from '../../../support/wait.ts'
import { bundle, startServer } from '../../proxy/servers.ts'
import { KEY } from '../../proxy/settings.ts'
import { requireChromium } from '../../runtimes/browsers.ts'
import { check } from '../../scenario/check.ts'
import { MATRIX, MODULES, type Project } from '../../support/project.ts'
import { type Check, versionOf } from '../../support/result.ts'
import { startService } from '../../support/service.ts'
import type { Seen } from './page.ts'

const PRICE = /^\/api\/market\/.*prices\//
const STREAM = '/api/market/stream'

/** A page behind a service worker that answers everything from its cache, if it has it, and behind one that leaves the proxy alone. */
export const serviceWorker: Check = {
  name: 'a service worker of Workbox in Chromium',
  async run(installed) {
    const project = installed.project('service-worker')
    await bundleForPage(project, 'page')
    await bundleForPage(project, 'worker')
    const service = await startService(project, { keys: { [KEY]: 1_000_000 } })
    try {
      for (const search of ['', '?leaves']) await visit(project, service.baseUrl, search)
      const version = versionOf('workbox-strategies')
      return {
        version,
        detail: 'keeps no answer of the proxy; where it leaves the proxy alone, a stream ends with its page',
      }
    } finally {
      await service.close()
    }
  },
}

async function visit(project: Project, serviceUrl: string, search: string): Promise<void> {
  const program = await bundle(project, '../browser/service-worker/serve', 'serve.mjs')
  const args = [program, KEY, serviceUrl]
  const { origin, close } = await startServer({ command: process.execPath, args, cwd: project.folder, end: 'stdin' })
  const browser = await chromium.launch({ executablePath: requireChromium(), args: CHROMIUM_FLAGS })
  try {
    const page = await browser.newPage()
    await page.goto(`${origin}/${search}`)
    await page.waitForFunction(() => 'look' in window)
    const seen = await page.evaluate(() => (window as unknown as { look(): Promise<Seen> }).look())
    const onServer = async () => (await (await fetch(`${origin}/seen`)).json()) as { paths: string[]; streams: number }
    const { paths } = await onServer()
    check('the worker answers the page', seen.isControlled, true)
    check('what it keeps', seen.kept, ['/kept.json'])
    check('requests for what it keeps', paths.filter((path) => path === '/kept.json').length, 1)
    check('prices', seen.prices.length, 2)
    check('requests for a price', paths.filter((path) => PRICE.test(path)).length, 2)
    check('a stream begins', [paths.includes(STREAM), seen.streamed], [true, seen.prices[0]])
    await page.close()
    if (search !== '') await until('no stream', onServer, ({ streams }) => streams === 0)
  } finally {
    await browser.close()
    await close()
  }
}

async function bundleForPage(project: Project, name: 'page' | 'worker'): Promise<void> {
  await build({
    entryPoints: [join(MATRIX, 'browser/service-worker', `${name}.ts`)],
    nodePaths: [join(project.folder, 'node_modules'), MODULES],
    tsconfigRaw: {},
    bundle: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    outfile: join(project.folder, `${name}.js`),
    logLevel: 'silent',
  })
}
