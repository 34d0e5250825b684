import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { CancellationSignal } from '../transport/light-signal.ts'
import type { ResponseHeaders } from '../transport/transport.ts'
import { idleTimeoutMs, type ProtocolAgent } from './agent-pool.ts'
import { errorWithCode, fetchError } from './fetch-error.ts'
import type { ParsedUrl } from './parse-url.ts'
import { type BufferedBody, bufferBody, type Coding, parseContentEncoding } from './response-body.ts'

/** A response whose headers have arrived and whose body is being received. */
export interface NodeResponse {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: BufferedBody
}

export interface HttpRequest {
  readonly agent: ProtocolAgent
  readonly target: ParsedUrl
  readonly headers: Readonly<Record<string, string>>
  readonly signal: CancellationSignal
  /** The most bytes that the body may have, decoded. */
  readonly maxResponseBytes?: number | undefined
  /** Called when a connection is being made, or could not be made. */
  onConnecting(): void
  /** Awaited before `onSent`, where the request has waited for its connection. */
  lastLook(): Promise<void> | undefined
  /** Called before the request is written to its connection. It throws when that must not happen. */
  onSent(): void
}

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

    const { secure, hostname, port, path } = target
    const protocol = secure ? 'https:' : 'http:'
    const request: ClientRequest = agent.request({
      agent: agent.agent,
      protocol,
      hostname,
      port,
      path,
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
function requestHeaders(
  { host, secure }: ParsedUrl,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    host,
    'user-agent': 'node',
    'accept-encoding': secure ? 'br, gzip, deflate' : 'gzip, deflate',
    ...headers,
  }
}

/** Headers over the names and values that `node:http` gives in turn. A class, because every response makes one. */
export class RawHeaders implements ResponseHeaders {
  readonly #lines: readonly string[]

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  get(name: string): string | null {
    return lookUp(this.#lines, name)
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const names = new Set(this.#lines.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()))
    for (const name of [...names].sort()) yield [name, this.get(name) ?? '']
  }
}

/** The bit in which a lower-case letter differs. */
const LOWER_CASE = 0x20

/** The value of a header; several lines are joined as fetch joins them. */
function lookUp(lines: readonly string[], name: string): string | null {
  let found: string | null = null
  const first = name.charCodeAt(0) | LOWER_CASE
  for (let index = 0; index < lines.length; index += 2) {
    const current = lines[index]
    if (current === undefined || current.length !== name.length) continue
    // Most names of the same length begin with another letter. To lower the case of all of them takes 0.8 kB a call.
    if ((current.charCodeAt(0) | LOWER_CASE) !== first || current.toLowerCase() !== name.toLowerCase()) continue
    const value = lines[index + 1] ?? ''
    found = found === null ? value : `${found}, ${value}`
  }
  return found
}
