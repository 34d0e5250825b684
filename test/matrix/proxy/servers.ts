import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { follow } from '../../support/child.ts'
import { BUN, DENO, DENO_FLAGS, versionOfProgram } from '../runtimes/processes.ts'
import { loadMiniflare, workerd } from '../runtimes/workerd.ts'
import { cleanEnv, execOrThrow, tail } from '../support/exec.ts'
import { MATRIX, MODULES, type Project } from '../support/project.ts'
import { versionOf } from '../support/result.ts'
import { KEY } from './settings.ts'

const MAX_EXIT_MS = 10_000

/** A server in a process of its own. */
interface ServerProcess {
  readonly origin: string
  /** Closes its stdin, or sends a signal. @throws unless the process exits by itself, with nothing on stderr */
  close(): Promise<void>
}

interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Record<string, string>
  /** How the process is asked to end. */
  readonly end: 'stdin' | 'SIGTERM'
  /** What the runtime itself writes to stderr. @default nothing */
  readonly notice?: RegExp | undefined
}

/** Starts a server, and waits for its origin on stdout. */
export async function startServer({ command, args, cwd, env, end, notice }: ServerCommand): Promise<ServerProcess> {
  const child = follow(spawn(command, args, { cwd, env: { ...cleanEnv(), ...env } }))
  const kill = () => child.process.kill('SIGKILL')
  const [origin] = await child.prints(/http:\/\/127\.0\.0\.1:\d+(?=\s)/).catch((error: unknown) => {
    kill()
    throw error
  })
  return {
    origin,
    async close() {
      const timer = setTimeout(kill, MAX_EXIT_MS)
      if (end === 'stdin') child.process.stdin?.end()
      else child.process.kill(end)
      const { code, stderr } = await child.ended()
      clearTimeout(timer)
      const written = (notice ? stderr.replace(notice, '') : stderr).trim()
      if (written !== '') throw new Error(`wrote to stderr: ${tail(written)}`)
      if (code !== 0 && end === 'stdin') throw new Error(`did not exit by itself, but with ${code}`)
    },
  }
}

/** A server that the proxy runs in. */
export interface ProxyServer {
  readonly name: string
  /** @throws NotInstalledError if it is not installed */
  version(): Promise<string>
  start(project: Project, serviceUrl: string): Promise<ServerProcess>
}

/** Bundles a file of this folder into a project. Packages stay external. */
export async function bundle(project: Project, entry: string, file: string, options: BuildOptions = {}) {
  const outfile = join(project.folder, file)
  await build({
    entryPoints: [join(MATRIX, 'proxy', `${entry}.ts`)],
    tsconfigRaw: {},
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    outfile,
    logLevel: 'silent',
    ...options,
  })
  return outfile
}

/** A process of Node, with a library that turns the proxy into a server. */
function onNode(name: string, library: string, links: readonly string[]): ProxyServer {
  return {
    name: `proxy: ${name} on Node`,
    version: async () => versionOf(library),
    async start(project, serviceUrl) {
      for (const link of links) project.link(link)
      const path = await bundle(project, `serve/${name.toLowerCase()}`, `${name}.mjs`)
      const args = [path, KEY, serviceUrl]
      return startServer({ command: process.execPath, args, cwd: project.folder, end: 'stdin' })
    },
  }
}

/** A runtime with a server of its own. */
function onRuntime(name: string, bin: string, flags: readonly string[], notice?: RegExp): ProxyServer {
  return {
    name: `proxy: ${name}`,
    version: () => versionOfProgram(bin),
    async start(project, serviceUrl) {
      const path = await bundle(project, `serve/${name.toLowerCase()}`, `${name}.mjs`)
      const args = [...flags, path, KEY, serviceUrl]
      return startServer({ command: join(MODULES, bin), args, cwd: project.folder, end: 'stdin', notice })
    },
  }
}

/** Written once by Deno where anybody reads the signal of a request. The proxy does not mind an abort after the answer. */
const DENO_NOTICE = /^Deno\.serve: request\.signal aborts on successful responses.*$/m

/** A worker with a durable object, bundled into one file as its tools do. */
const worker: ProxyServer = {
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

const NEXT = 'node_modules/next/dist/bin/next'
/** The packages are links to other folders, so the root is above both. */
const CONFIG = `export default { turbopack: { root: '/' } }\n`
const ENV = { NEXT_TELEMETRY_DISABLED: '1' }

/** A route handler, built and started as in production. The build has no key. */
const next: ProxyServer = {
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

export const servers: readonly ProxyServer[] = [
  onNode('Hono', 'hono', ['hono', '@hono/node-server']),
  onNode('Express', 'express', ['express']),
  onNode('srvx', 'srvx', ['srvx']),
  onRuntime('Deno', DENO, DENO_FLAGS, DENO_NOTICE),
  onRuntime('Bun', BUN, ['run']),
  worker,
  next,
]
