import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nextTurn } from '../../concurrency/event-loop.ts'
import { once } from '../../utils/once.ts'
import { parseUrl } from '../../utils/runtime.ts'
import { checkOptions, FakeUsageError, show } from '../rules/check.ts'
import { failure, type Reply } from '../rules/reply.ts'
import * as is from '../rules/schema.ts'
import type { FakeServer, ListenOptions } from '../types.ts'
import type { Control } from './control/control.ts'
import { isConnectionError } from './fetch.ts'
import type { Exchange, Handle, IncomingRequest } from './handle-request.ts'

/** `node:http`, asked of the runtime: bundlers for pages and apps cannot resolve an import, nor can Jest without a flag. */
function nodeHttp() {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  return process?.getBuiltinModule?.('node:http') as typeof import('node:http') | undefined
}

/** Whether the runtime has servers: not in a page, nor in a Worker. */
export function canListen(): boolean {
  return nodeHttp() !== undefined
}

/** @param control answers requests below `/_fake` */
export async function listen(
  handle: Handle,
  control: Control,
  basePath: string,
  options: ListenOptions,
): Promise<FakeServer> {
  checkOptions('listen', is.object({ port: is.between(0, 65_535), hostname: is.text, controlToken: {} }), options)
  const { port: wantedPort = 0, hostname = '127.0.0.1', controlToken } = options
  // The message leaves the token out, because it is a secret.
  if (controlToken !== undefined && (typeof controlToken !== 'string' || !/^[!-~]+( +[!-~]+)*$/.test(controlToken)))
    throw new FakeUsageError('controlToken is a text that is not empty, of ASCII characters that a header can carry.')
  const http = nodeHttp()
  if (!http) throw new Error('Only Node, Bun and Deno can listen: use fake.fetch or mswHandlers here.')
  const answerControl = async (incoming: IncomingRequest, request: IncomingMessage) =>
    control(incoming, await bodyOf(request), { remoteAddress: request.socket.remoteAddress, controlToken })
  // Faults break the socket, which only this module reaches.
  const server = http.createServer((request, response) => void respond(handle, answerControl, request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(wantedPort, hostname, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo
  const host = hostname === '0.0.0.0' || hostname === '::' ? '127.0.0.1' : hostname
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const close = once(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: origin + basePath, port, close }
}

async function respond(
  handle: Handle,
  answerControl: (incoming: IncomingRequest, request: IncomingMessage) => Promise<Reply>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  const { method = 'GET' } = request
  const headers = new Headers()
  const lines = request.rawHeaders
  for (let i = 0; i < lines.length; i += 2) headers.append(lines[i] ?? '', lines[i + 1] ?? '')
  const incoming = { method, url: urlOf(request), headers, signal: gone.signal }
  try {
    if (/^\/_fake(\/|$)/.test(incoming.url.pathname))
      writeWhole(response, method, await answerControl(incoming, request))
    else writeExchange(response, method, await handle(incoming))
  } catch (error) {
    if (gone.signal.aborted || isConnectionError(error)) return resetConnection(response)
    // A function of the user's fault threw.
    writeWhole(response, method, failure(500, 'fake_broken', `The fake failed: ${show(error)}`))
  }
}

/** The full URL; a target or a `Host` that is no part of a URL gives the root of the server. */
function urlOf({ url = '/', headers: { host } }: IncomingMessage): URL {
  const given = parseUrl(url.startsWith('/') ? `http://${host}${url}` : url)
  return given ?? parseUrl(`http://127.0.0.1${url}`) ?? new URL('http://127.0.0.1/')
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += chunk
  return text
}

/** Writes the status and the header lines as they are. Returns the bytes of the body. */
function writeHead(response: ServerResponse, { status, headers, body }: Reply): Uint8Array {
  const bytes = new TextEncoder().encode(body ?? '')
  const length = body === null ? [] : ['Content-Length', String(bytes.length)]
  response.writeHead(status, [...headers.flat(), ...length])
  return bytes
}

function writeWhole(response: ServerResponse, method: string, reply: Reply): void {
  writeHead(response, reply)
  if (method === 'HEAD' || reply.body === null) response.end()
  else response.end(reply.body)
}

/** Writes an answer as its faults deliver it: bodies that end early, connections that break. */
function writeExchange(
  response: ServerResponse,
  method: string,
  { reply, delivery, delivered, finish }: Exchange,
): void {
  response.once('close', finish)
  if (delivery.kind === 'reset') resetConnection(response)
  else if (delivery.kind === 'whole') {
    response.once('finish', delivered)
    writeWhole(response, method, reply)
  } else {
    const part = writeHead(response, reply).slice(0, delivery.bytes)
    const done = delivery.kind === 'truncated' ? () => response.socket?.destroy() : () => {}
    // Even without a byte of the body, the headers are sent.
    if (part.length > 0) response.write(part, done)
    else {
      response.flushHeaders()
      nextTurn().then(done)
    }
  }
}

/** Breaks the connection, so that the other side reads ECONNRESET. */
function resetConnection({ socket }: ServerResponse): void {
  if (socket?.resetAndDestroy) socket.resetAndDestroy()
  else socket?.destroy()
}
