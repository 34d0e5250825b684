import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { CHROMIUM_FLAGS, CHROMIUM_MISSING, findChromium } from '../../support/chromium.ts'
import type { ScenarioReport } from '../scenario/scenario.ts'
import { execOrThrow } from '../support/exec.ts'
import type { Project } from '../support/project.ts'
import { NotInstalledError } from '../support/result.ts'
import { bundleScenario, type Runtime } from './runtime.ts'

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
}
const MAX_REPORT_MS = 90_000

/** A strict policy: no `eval`, and no inline script except the import map. */
const POLICY = "default-src 'none'; script-src 'self' 'nonce-map'; connect-src 'self' http://127.0.0.1:*"

/** The packages that the published ES modules import, and their files. */
const IMPORTS = {
  'etn-market': '/node_modules/etn-market/dist/index.js',
  ky: '/node_modules/ky/distribution/index.js',
  'p-retry': '/node_modules/p-retry/index.js',
  'is-network-error': '/node_modules/is-network-error/index.js',
  'zod/mini': '/node_modules/zod/mini/index.js',
}

/** Loads the published ES modules without a bundler. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>scenario</title>
<script type="importmap" nonce="map">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module" src="/page.mjs"></script>`

export function requireChromium(): string {
  const path = findChromium()
  if (path === undefined) throw new NotInstalledError(CHROMIUM_MISSING)
  return path
}

/** What `browser/vitest.config.ts` reads, which is copied to the folder of each project. */
export const chromiumSettings = () => ({
  MATRIX_CHROMIUM: requireChromium(),
  MATRIX_CHROMIUM_FLAGS: CHROMIUM_FLAGS.join(' '),
})

/** Starts the server of a page. The page sends its report there. */
function servePage(project: Project): { server: Server; report: Promise<ScenarioReport> } {
  const { promise: report, resolve, reject } = withResolvers<ScenarioReport>()
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page.test').pathname)
    if (request.method === 'POST' && path === '/report') {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => resolve(JSON.parse(text)))
      response.end()
      return
    }
    const file = join(project.folder, path)
    if (path.includes('..') || !existsSync(file)) return void response.writeHead(404).end()
    const headers = { 'content-type': CONTENT_TYPES[extname(file)] ?? 'text/plain', 'content-security-policy': POLICY }
    response.writeHead(200, headers).end(readFileSync(file))
  })
  setTimeout(() => reject(new Error(`the page did not report within ${MAX_REPORT_MS} ms`)), MAX_REPORT_MS).unref()
  return { server, report }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

export const chromium: Runtime = {
  name: 'Chromium',
  maxResends: 2,
  async version() {
    return /\d+(\.\d+)+/.exec(await execOrThrow(requireChromium(), ['--version']))?.[0] ?? 'unknown'
  },
  async run(project, baseUrl) {
    await bundleScenario(project, 'page', 'page.mjs')
    project.write('index.html', PAGE)
    return { report: await visit(project, 'index.html', baseUrl) }
  },
}

/** Opens a page of the project in Chromium and waits for its report. */
export async function visit(project: Project, page: string, baseUrl: string): Promise<ScenarioReport> {
  const executable = requireChromium()
  const { server, report } = servePage(project)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const profile = mkdtempSync(join(tmpdir(), 'etn-market-chromium-'))
  const url = `http://127.0.0.1:${port}/${page}?baseUrl=${encodeURIComponent(baseUrl)}`
  // A process group of its own, so that its child processes end with it.
  const browser = spawn(executable, ['--headless=new', ...CHROMIUM_FLAGS, `--user-data-dir=${profile}`, url], {
    stdio: 'ignore',
    detached: true,
  })
  try {
    return await report
  } finally {
    const gone = new Promise((resolve) => browser.once('exit', resolve))
    if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL')
    await gone
    server.closeAllConnections()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
