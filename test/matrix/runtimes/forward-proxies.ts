import { createServer as createProxyServer } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { cert, key } from '../../node/self-signed.ts'
import { check } from '../scenario/check.ts'
import { exec, tail } from '../support/exec.ts'
import { MODULES, type Project } from '../support/project.ts'
import type { Check } from '../support/result.ts'
import { BUN, DENO, versionOfProgram } from './processes.ts'
import { bundleScenario } from './runtime.ts'

/** What one call through a proxy came to. */
export interface ProxyReport {
  readonly outcome: unknown
  readonly spent: number
  readonly uncertain: number
  /** Whether the error has the password of the proxy anywhere. */
  readonly tellsPassword: boolean
}

const NODE = (major: number) => `node${major}/bin/node`
const AGENTS = ['https-proxy-agent', 'proxy-agent', 'hpagent']
const BY_ITSELF = ['fetch of the runtime', 'globalAgent']

/** How a program gets through a proxy, on which runtime. */
const WAYS: readonly [runtime: string, bin: string, ways: readonly string[]][] = [
  ['Node 20', NODE(20), ['setGlobalDispatcher', 'a dispatcher of undici 7', 'undici 7', 'undici 6', ...AGENTS]],
  ['Node 22', NODE(22), BY_ITSELF],
  ['Node 24', NODE(24), [...BY_ITSELF, 'proxyEnv', 'a dispatcher of undici 7', ...AGENTS]],
  [
    'Node 26',
    NODE(26),
    [...BY_ITSELF, 'proxyEnv', 'setGlobalDispatcher', 'a dispatcher of undici 7', 'undici 7', ...AGENTS],
  ],
  ['Bun', BUN, ['fetch of the runtime']],
  ['Deno', DENO, ['fetch of the runtime']],
]
const CERTIFICATE = 'service.pem'
const PACKAGES = ['undici', 'undici6', 'https-proxy-agent', 'proxy-agent', 'hpagent']
const USER = 'market'
const PASSWORD = 'password-of-the-proxy'
/** With which the proxy refuses; undefined: it opens the tunnel. */
const STATUSES = [undefined, 407, 403, 502]
/** It does not accept the certificate of this test as one of a server. */
const DENO_FLAGS = ['run', '--allow-all', '--cached-only', '--no-prompt', '--unsafely-ignore-certificate-errors']

/** A service behind TLS, and a forward proxy that opens tunnels to it, or refuses them with a status. */
async function start(status: number | undefined) {
  let [requests, tunnels, withoutPassword] = [0, 0, 0]
  const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`
  const service = createServer({ cert, key }, (_, response) => {
    requests++
    response.writeHead(200, { 'content-type': 'application/json', 'x-credits-cost': '25' })
    response.end(JSON.stringify({ data: { usd: '0.5' } }))
  })
  const proxy = createProxyServer()
  proxy.on('connect', (request, socket) => {
    tunnels++
    socket.on('error', () => {})
    if (request.headers['proxy-authorization'] !== authorization) withoutPassword++
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`)
    const [host, port] = (request.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
  })
  const servers = [service, proxy]
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const portOf = (server: (typeof servers)[number]) => (server.address() as AddressInfo).port
  return {
    baseUrl: `https://127.0.0.1:${portOf(service)}`,
    proxyUrl: `http://${USER}:${PASSWORD}@127.0.0.1:${portOf(proxy)}`,
    seen: () => ({ requests, tunnels, withoutPassword }),
    close() {
      for (const server of servers) server.close().closeAllConnections()
    },
  }
}

interface Seen extends ProxyReport {
  readonly requests: number
  readonly tunnels: number
  /** How often the proxy was asked without name and password. */
  readonly withoutPassword: number
}

async function call(
  project: Project,
  script: string,
  bin: string,
  way: string,
  status: number | undefined,
): Promise<Seen> {
  const { baseUrl, proxyUrl, seen, close } = await start(status)
  const flags = bin === DENO ? DENO_FLAGS : []
  const env = {
    // An agent with `proxyEnv` needs no variable of Node.
    ...(way !== 'proxyEnv' && { NODE_USE_ENV_PROXY: '1' }),
    HTTPS_PROXY: proxyUrl,
    NODE_EXTRA_CA_CERTS: join(project.folder, CERTIFICATE),
    NODE_NO_WARNINGS: '1',
  }
  const args = [...flags, script, baseUrl, proxyUrl, way]
  const { code, stdout, stderr } = await exec(join(MODULES, bin), args, { cwd: project.folder, env, limitMs: 60_000 })
  close()
  if (code !== 0) throw new Error(`${way}: exited with ${code}: ${tail(stdout + stderr)}`)
  return { ...(JSON.parse(stdout) as ProxyReport), ...seen() }
}

/** A tunnel that is refused: nothing was charged, and a refusal for good is not asked for again. Deno names no status but 407. */
function expected(status: number | undefined, isDeno: boolean): Omit<Seen, 'tunnels'> {
  const whole = (outcome: unknown, spent: number, requests: number) => {
    return { outcome, spent, uncertain: 0, tellsPassword: false, requests, withoutPassword: 0 }
  }
  if (status === undefined) return whole({ usd: '0.5' }, 25, 1)
  const told = isDeno && status !== 407 ? undefined : status
  const attempts = told === 407 || told === 403 ? 1 : 3
  return whole({ name: 'ConnectionError', code: 'proxy_refused', status: told, attempts, charge: 'none' }, 0, 0)
}

export const forwardProxies = WAYS.map(
  ([name, bin, ways]): Check => ({
    name: `forward proxies: ${name}`,
    async run(installed) {
      const version = await versionOfProgram(bin)
      const project = installed.project('forward-proxies')
      for (const one of PACKAGES) project.link(one)
      project.write(CERTIFICATE, cert)
      const script = await bundleScenario(project, 'forward-proxy', 'forward-proxy.mjs', { packages: 'external' })
      for (const way of ways) {
        const calls = STATUSES.map((status) => call(project, script, bin, way, status))
        for (const [index, { tunnels, ...seen }] of (await Promise.all(calls)).entries()) {
          const status = STATUSES[index]
          check(`${way}, the proxy answers ${status ?? 200}`, seen, expected(status, bin === DENO))
          check(`${way}, asked for a tunnel`, tunnels > 0, true)
        }
      }
      return { version, detail: ways.join(', ') }
    },
  }),
)
