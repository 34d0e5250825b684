import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ResponseHeaders } from '../transport/transport.ts'
import { errorWithCode, fetchError, idleTimeoutMs, type ProtocolAgent } from './agent-pool.ts'
import { type BufferedBody, bufferBody, type Coding, parseContentEncoding } from './response-body.ts'

/** A response whose headers have arrived and whose body is being received. */
export interface NodeResponse {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: BufferedBody
}

export interface HttpRequest {
  readonly agent: ProtocolAgent
  readonly target: URL
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** The most bytes that the body may have, decoded. */
  readonly maxResponseBytes?: number | undefined
  /** Called when a connection is being made, or could not be made. */
  onConnecting(): void
  /** Awaited before `onSent`, where the request has waited for its connection. */
  lastLook(): Promise<void> | undefined
  /** Called before the request is written to its connection. It throws when that must not happen. */
  onSent(): void
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Statuses of responses that have no body, whatever follows their headers. */
const NULL_BODY_STATUSES = [204, 205, 304]

/** Sends one GET. Resolves when the headers of the response have arrived; rejects as Node's fetch does. */
export function sendHttpRequest(attempt: HttpRequest): Promise<NodeResponse> {
  const { agent, target, headers, signal, maxResponseBytes } = attempt
  return new Promise((resolve, reject) => {
    let body: BufferedBody | undefined
    let requestError: Error | undefined

    const removeListener = () => signal.removeEventListener('abort', onAbort)
    const fail = (reason: unknown) => {
      removeListener()
      if (body === undefined) reject(reason)
      else body.fail(reason)
    }
    const onAbort = () => {
      fail(signal.reason)
      request.destroy()
    }
    const onResponse = (response: IncomingMessage) => {
      const { statusCode = 0 } = response
      const responseHeaders = new RawHeaders(response.rawHeaders)
      let codings: readonly Coding[] | null
      try {
        const contentEncoding = responseHeaders.get('content-encoding')
        codings = NULL_BODY_STATUSES.includes(statusCode) ? null : parseContentEncoding(contentEncoding)
      } catch (error) {
        fail(fetchError('fetch failed', error))
        request.destroy()
        return
      }
      if (agent.isOwn) {
        const idleMs = idleTimeoutMs(responseHeaders.get('keep-alive'))
        if (response.socket.timeout !== idleMs) response.socket.setTimeout(idleMs)
      }
      body = bufferBody(response, codings, removeListener, maxResponseBytes)
      // The response knows whether its body is complete, since a connection may break after the last byte. The request knows why.
      response.on('error', (error) => fail(fetchError('terminated', requestError ?? error)))
      resolve({ status: statusCode, headers: responseHeaders, body })
    }

    const { protocol, hostname, port, pathname, search } = target
    const request: ClientRequest = agent.request({
      agent: agent.agent,
      protocol,
      // An IPv6 address has brackets in a URL.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? DEFAULT_PORTS[protocol] : Number(port),
      path: pathname + search,
      headers: requestHeaders(target, headers),
    })
    request.maxHeadersCount = 0
    const write = async (hasWaited: boolean) => {
      try {
        if (hasWaited) await attempt.lastLook()
        if (request.destroyed) return
        attempt.onSent()
        request.end()
      } catch (error) {
        fail(error)
        request.destroy()
      }
    }
    request.on('socket', (socket) => {
      const step = connectingStep(socket)
      // An agent of the user may have kept it in a queue.
      if (step === undefined) return void write(!agent.isOwn)
      attempt.onConnecting()
      socket.once(step, () => write(true))
    })
    request.on('response', onResponse)
    request.on('error', (error) => {
      attempt.onConnecting()
      requestError = error
      if (body === undefined) fail(fetchError('fetch failed', error))
    })
    request.on('close', () => {
      if (body === undefined) fail(fetchError('fetch failed', noResponse()))
    })
    signal.addEventListener('abort', onAbort)
  })
}

/** The event at which a connection is made, with TLS the end of its handshake; undefined where it is made already. */
function connectingStep(socket: Socket): 'secureConnect' | 'connect' | undefined {
  const { secureConnecting } = socket as Partial<TLSSocket> & { readonly secureConnecting?: boolean }
  if (secureConnecting) return 'secureConnect'
  return socket.connecting ? 'connect' : undefined
}

const noResponse = () => errorWithCode('The connection ended without a response', 'ECONNRESET')

/**
 * The headers for `node:http`, with those that Node's fetch adds by itself. A plain object, because instrumentations copy headers
 * by `Object.assign({}, headers)`: from an array of lines that makes headers named `0`, `1`, …, one of which holds the key.
 */
function requestHeaders({ host, protocol }: URL, headers: Readonly<Record<string, string>>): Record<string, string> {
  return {
    host,
    'user-agent': 'node',
    'accept-encoding': protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate',
    ...headers,
  }
}

/** Headers over the names and values that `node:http` gives in turn; several lines are joined as fetch joins them. */
export class RawHeaders implements ResponseHeaders {
  readonly #values = new Map<string, string>()

  constructor(lines: readonly string[]) {
    for (let index = 0; index < lines.length; index += 2) {
      const name = (lines[index] ?? '').toLowerCase()
      const value = lines[index + 1] ?? ''
      const known = this.#values.get(name)
      this.#values.set(name, known === undefined ? value : `${known}, ${value}`)
    }
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    for (const name of [...this.#values.keys()].sort()) yield [name, this.get(name) ?? '']
  }
}

/** @throws a fetch error for a URL that is not requested. The message does not quote it, because it may hold a secret. */
export function parseTarget(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const { protocol, username, password } = parsed ?? {}
  const problem =
    parsed === undefined
      ? 'The URL is not absolute'
      : protocol !== 'http:' && protocol !== 'https:'
        ? `The protocol ${protocol} is not supported`
        : username || password
          ? 'Credentials in a URL are not supported'
          : undefined
  if (parsed !== undefined && problem === undefined) return parsed
  throw fetchError('fetch failed', errorWithCode(String(problem), 'ERR_INVALID_URL'))
}
