import type { ServerRequest } from 'srvx'
import type { Exchange } from './answer.ts'
import type { Incoming } from './arrive.ts'
import { createControl } from './control.ts'
import { asNumber, checkNames, show } from './input.ts'
import { isConnectionError } from './network.ts'
import { type NodeResponse, playOnSocket, reset } from './node-socket.ts'
import { failure } from './reply.ts'
import type { FakeService } from './types.ts'

/** Where to listen. */
export interface ListenOptions {
  /** @default 0, a free port */
  port?: number
  /** @default '127.0.0.1' */
  hostname?: string
}

/** A fake that listens. */
export interface FakeServer {
  /** The base URL, ready for a client. */
  readonly url: string
  readonly port: number
  /** Closes at once, whatever is still connected. */
  close(): Promise<void>
}

type Receive = (incoming: Incoming) => Promise<Exchange>

/** A server on `node:http`, which Bun and Deno have as well: only there a connection can be had hold of, and broken. */
const ADAPTER = 'srvx/node'

/** Serves the fake over HTTP. */
export async function listen(fake: FakeService, receive: Receive, options: ListenOptions): Promise<FakeServer> {
  checkNames('listen', options, ['port', 'hostname'])
  const { hostname = '127.0.0.1' } = options
  const port = asNumber('port', options.port ?? 0, 0, 65_535)
  if (!canListen()) throw new Error('Only Node, Bun and Deno can listen: use fake.fetch or mswHandlers here.')
  const { serve } = await load()
  const control = createControl(fake)
  const server = serve({
    port,
    hostname,
    silent: true,
    gracefulShutdown: false,
    fetch: (request) => (isControl(request) ? control(request) : respond(receive, request)),
  })
  await server.ready()
  const url = new URL(server.url ?? `http://${hostname}:${port}/`)
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  const base = new URL(fake.baseUrl).pathname.replace(/\/$/, '')
  return { url: url.origin + base, port: Number(url.port), close: () => server.close(true) }
}

/** By a name that bundlers cannot follow: a page that mocks with the fake has no use for a server. */
function load(): Promise<typeof import('srvx')> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ ADAPTER)
}

function canListen(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  return process?.versions?.node !== undefined
}

function isControl({ url }: ServerRequest): boolean {
  return /^\/_fake(\/|$)/.test(new URL(url).pathname)
}

async function respond(receive: Receive, request: ServerRequest): Promise<Response> {
  const { method, url, headers, signal } = request
  const socket = request.runtime?.node?.res as NodeResponse
  try {
    playOnSocket(await receive({ method, url, headers, signal }), method, socket)
  } catch (error) {
    if (!signal.aborted && !isConnectionError(error)) return ownFault(error)
    reset(socket)
  }
  // The socket has been dealt with: there is nothing left for the server to send.
  return new Promise(() => {})
}

/** A function that was given to `fault` threw. */
function ownFault(error: unknown): Response {
  const { status, body } = failure({ status: 500, code: 'fake_broken', message: `The fake failed: ${show(error)}` })
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}
