import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import type { ScenarioReport } from '../scenario/scenario.ts'
import type { Project } from '../support/project.ts'
import { NotInstalledError } from '../support/result.ts'
import { bundleScenario, type Runtime } from './runtime.ts'

/** A browser that opens a page without a window. */
export interface Browser {
  readonly name: string
  /** How often it sends a lost request again. */
  readonly maxResends: number
  /** @throws NotInstalledError if there is none. */
  version(): Promise<string>
  /** Opens the URL, with a profile in this folder. @throws NotInstalledError if there is none. */
  command(url: string, profile: string): { program: string; args: readonly string[]; env?: NodeJS.ProcessEnv }
}

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
}
const MAX_START_MS = 60_000
const MAX_REPORT_MS = 90_000

/** A strict policy: no `eval`, and no inline script except the import map. */
const POLICY = "default-src 'none'; script-src 'self' 'nonce-map'; connect-src 'self' http://127.0.0.1:*; img-src data:"

/** The packages that the published ES modules import, and their files. */
const IMPORTS = {
  'etn-market': '/node_modules/etn-market/dist/index.js',
  ky: '/node_modules/ky/distribution/index.js',
  'p-retry': '/node_modules/p-retry/index.js',
  'is-network-error': '/node_modules/is-network-error/index.js',
  'zod/mini': '/node_modules/zod/mini/index.js',
}

/** Loads the published ES modules without a bundler. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>scenario</title><link rel="icon" href="data:,">
<script type="importmap" nonce="map">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module" src="/page.mjs"></script>`

/** Runs the scenario in a page of a browser. */
export const inPage = (browser: Browser): Runtime => ({
  ...browser,
  async run(project, baseUrl) {
    await bundleScenario(project, 'page', 'page.mjs')
    project.write('index.html', PAGE)
    return { report: await visit(project, 'index.html', baseUrl, browser) }
  },
})

/** Opens a page of the project in a browser and waits for its report. */
export async function visit(
  project: Project,
  page: string,
  baseUrl: string,
  browser: Browser,
): Promise<ScenarioReport> {
  const { server, opened, report } = servePage(project)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const profile = mkdtempSync(join(tmpdir(), 'etn-market-browser-'))
  const url = `http://127.0.0.1:${port}/${page}?baseUrl=${encodeURIComponent(baseUrl)}`
  const { program, args, env } = browser.command(url, profile)
  // A process group of its own, so that its child processes end with it.
  const child = spawn(program, args, { stdio: 'ignore', detached: true, env: { ...process.env, ...env } })
  try {
    await within(MAX_START_MS, opened, new NotInstalledError(`${browser.name} opens no page on this machine`))
    return await within(MAX_REPORT_MS, report, new Error(`the page did not report within ${MAX_REPORT_MS} ms`))
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await gone
    server.closeAllConnections()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

async function within<T>(ms: number, promise: Promise<T>, error: Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ms, error)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The server of a page. The page sends its report there. */
function servePage(project: Project): { server: Server; opened: Promise<void>; report: Promise<ScenarioReport> } {
  let open = () => {}
  let end: (report: ScenarioReport) => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const report = new Promise<ScenarioReport>((resolve) => {
    end = resolve
  })
  const server = createServer((request, response) => {
    open()
    const path = normalize(new URL(request.url ?? '/', 'http://page.test').pathname)
    if (request.method === 'POST' && path === '/report') {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => end(JSON.parse(text)))
      response.end()
      return
    }
    const file = join(project.folder, path)
    if (path.includes('..') || !existsSync(file)) return void response.writeHead(404).end()
    const headers = { 'content-type': CONTENT_TYPES[extname(file)] ?? 'text/plain', 'content-security-policy': POLICY }
    response.writeHead(200, headers).end(readFileSync(file))
  })
  return { server, opened, report }
}
