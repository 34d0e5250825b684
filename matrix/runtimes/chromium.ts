import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import type { Report } from '../journey/types.ts'
import { must } from '../support/exec.ts'
import type { Project } from '../support/project.ts'
import { NotHere } from '../support/result.ts'
import { bundleJourney } from './bundle.ts'
import type { Runtime } from './types.ts'

const PLACES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' }
const LIMIT_MS = 90_000

/** A strict policy: no eval, no inline script but the import map. */
const POLICY = "default-src 'none'; script-src 'self' 'nonce-map'; connect-src 'self' http://127.0.0.1:*"

/** Loads the published ES modules as they are: no bundler in between. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>journey</title>
<script type="importmap" nonce="map">{ "imports": { "etn-market": "/node_modules/etn-market/dist/index.js" } }</script>
<script type="module" src="/page.mjs"></script>`

export function findChromium(): string {
  const path = PLACES.find((place) => place !== undefined && existsSync(place))
  if (path === undefined) throw new NotHere('there is no Chromium: apt-get install chromium')
  return path
}

/** A page's own server, and what the page reports to it. */
function serve(project: Project): { server: Server; report: Promise<Report> } {
  const { promise: report, resolve, reject } = withResolvers<Report>()
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
    const headers = { 'content-type': TYPES[extname(file)] ?? 'text/plain', 'content-security-policy': POLICY }
    response.writeHead(200, headers).end(readFileSync(file))
  })
  setTimeout(() => reject(new Error(`the page did not report within ${LIMIT_MS} ms`)), LIMIT_MS).unref()
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
  resends: 2,
  async version() {
    return /\d+(\.\d+)+/.exec(await must(findChromium(), ['--version']))?.[0] ?? 'unknown'
  },
  async run(project, baseUrl) {
    await bundleJourney(project, 'page', 'page.mjs')
    project.write('index.html', PAGE)
    return { report: await visit(project, 'index.html', baseUrl) }
  },
}

/** Opens a page of the project in Chromium and waits for what it reports. */
export async function visit(project: Project, page: string, baseUrl: string): Promise<Report> {
  const path = findChromium()
  const { server, report } = serve(project)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const profile = mkdtempSync(join(tmpdir(), 'etn-market-chromium-'))
  const url = `http://127.0.0.1:${port}/${page}?baseUrl=${encodeURIComponent(baseUrl)}`
  // A group of its own, so that its helpers end with it.
  const browser = spawn(path, [...FLAGS, `--user-data-dir=${profile}`, url], {
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
