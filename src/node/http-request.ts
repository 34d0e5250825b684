import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { CompressCallback, ZlibOptions } from 'node:zlib'
import { PROXY_TUNNEL } from '../transport/outcome.ts'
import { ResponseTooLargeError } from '../transport/response-text.ts'
import type { HttpAttempt, ResponseHeaders } from '../transport/transport.ts'
import { parseUrl } from '../utils/runtime.ts'
import { errorWithCode, fetchError, idleTimeoutMs, type ProtocolAgent } from './agent-pool.ts'

/** A response whose headers have arrived and whose body is being received. */
export interface NodeResponse {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: BufferedBody
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

const NULL_BODY_STATUSES = [204, 205, 304]

/**
 * Sends one GET. Resolves when the headers of the response have arrived; rejects as Node's fetch does.
 * @param target where to send it: the URL of the attempt, or that of a redirect
 * @param beforeSend called before the request is written to its connection; it throws when that must not happen
 */
export function sendHttpRequest(
  attempt: HttpAttempt,
  target: URL,
  agent: ProtocolAgent,
  beforeSend: () => void,
): Promise<NodeResponse> {
  const { headers, signal, maxResponseBytes } = attempt
  return new Promise((resolve, reject) => {
    let body: BufferedBody | undefined
    let requestError: Error | undefined
    let isWritten = false

    const removeListener = () => signal.removeEventListener('abort', onAbort)
    const fail = (reason: unknown) => {
      removeListener()
      if (body === undefined) reject(reason)
      else body.fail(reason)
    }
    const failWithoutResponse = (error: Error) => {
      if (body !== undefined) return
      // Others that have been idle may be dead as well: the next attempt gets a new connection, or three of them use up the retries of a call.
      if (isWritten && request.reusedSocket && !signal.aborted) agent.closeIdle()
      fail(fetchError('fetch failed', error))
    }
    const onAbort = () => refuse(signal.reason)
    const onResponse = (response: IncomingMessage) => {
      const { statusCode = 0 } = response
      // An agent that got no tunnel hands over the answer of the proxy, on a connection without TLS and before the request was written.
      if (!isWritten && target.protocol === 'https:' && !('encrypted' in response.socket)) {
        attempt.onConnecting?.()
        const error = errorWithCode(`The proxy answered ${statusCode} and opened no tunnel`, PROXY_TUNNEL)
        return refuse(fetchError('fetch failed', Object.assign(error, { statusCode })))
      }
      const responseHeaders = new RawHeaders(response.rawHeaders)
      let codings: readonly Coding[] | null
      try {
        const contentEncoding = responseHeaders.get('content-encoding')
        codings = NULL_BODY_STATUSES.includes(statusCode) ? null : parseContentEncoding(contentEncoding)
      } catch (error) {
        return refuse(fetchError('fetch failed', error))
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
    const refuse = (error: unknown) => {
      fail(error)
      request.destroy()
    }
    const write = () => {
      try {
        if (request.destroyed) return
        beforeSend()
        isWritten = true
        request.end()
      } catch (error) {
        refuse(error)
      }
    }
    const writeAfterWait = () => void Promise.resolve(attempt.recheck?.()).then(write, refuse)
    request.on('socket', (socket) => {
      const step = connectingStep(socket)
      // An agent of the user may have kept it in a queue.
      if (step === undefined) return agent.isOwn ? write() : writeAfterWait()
      attempt.onConnecting?.()
      socket.once(step, writeAfterWait)
    })
    request.on('response', onResponse)
    request.on('error', (error) => {
      attempt.onConnecting?.()
      requestError = error
      failWithoutResponse(error)
    })
    request.on('close', () => {
      // An error has a stack, which takes a sixth of a call.
      if (body === undefined) failWithoutResponse(noResponse())
    })
    signal.addEventListener('abort', onAbort)
  })
}

/**
 * The event at which a connection is made, with TLS the end of its handshake; undefined where it is made already. The socket of an interceptor has
 * no handle: that of msw 2 and nock 14 says that it connects, and does so only when the request has been written.
 */
function connectingStep(socket: Socket): 'secureConnect' | 'connect' | undefined {
  const { secureConnecting, _handle } = socket as Partial<TLSSocket> & { secureConnecting?: boolean; _handle?: unknown }
  if (secureConnecting) return 'secureConnect'
  return socket.connecting && _handle !== null ? 'connect' : undefined
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
  const refuse = (problem: string) => fetchError('fetch failed', errorWithCode(problem, 'ERR_INVALID_URL'))
  const parsed = parseUrl(url)
  if (parsed === undefined) throw refuse('The URL is not absolute')
  const { protocol, username, password } = parsed
  if (protocol !== 'http:' && protocol !== 'https:') throw refuse(`The protocol ${protocol} is not supported`)
  if (username || password) throw refuse('Credentials in a URL are not supported')
  return parsed
}

/** A body that is being received: `text` rejects when it does not arrive whole, and `cancel` closes its connection. */
export type BufferedBody = ReturnType<typeof bufferBody>

/** Receives a body and decodes it. `codings` is null for a response without a body. `onEnd` is called at its end, however it ends. */
function bufferBody(
  response: IncomingMessage,
  codings: readonly Coding[] | null,
  onEnd: () => void,
  maxBytes = Number.POSITIVE_INFINITY,
) {
  let resolveText: (text: string) => void = () => {}
  let fail: (reason: unknown) => void = () => {}
  const text = new Promise<string>((resolve, reject) => {
    resolveText = (received) => {
      onEnd()
      resolve(received)
    }
    fail = (reason) => {
      onEnd()
      reject(reason)
    }
  })
  // The caller may have discarded it.
  text.catch(() => {})

  if (codings === null) {
    resolveText('')
    response.resume()
  } else {
    const chunks: Buffer[] = []
    let length = 0
    response.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        fail(new ResponseTooLargeError(maxBytes))
        response.destroy()
      }
    })
    response.on('end', () => {
      const whole = Buffer.concat(chunks)
      if (codings.length === 0) return resolveText(toText(whole))
      undoCodings(whole, codings, maxBytes).then(resolveText, (error) =>
        fail(error instanceof ResponseTooLargeError ? error : fetchError('terminated', error)),
      )
    })
  }

  return {
    text,
    fail,
    async cancel() {
      resolveText('')
      if (!response.complete) response.destroy()
    },
  }
}

export type Coding = 'gzip' | 'deflate' | 'br'

/** Node makes no larger text. */
const MAX_BUFFER_BYTES = 536_870_888
const MAX_CODINGS = 5
const KNOWN_CODINGS: Readonly<Record<string, Coding>> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br' }

/** The codings to undo, in this order; none where one is unknown, as with fetch. @throws Error for too many */
export function parseContentEncoding(header: string | null): readonly Coding[] {
  if (header === null || header === '') return []
  const names = header.toLowerCase().split(',')
  if (names.length > MAX_CODINGS) throw new Error(`Too many content-encodings: ${names.length}`)
  const codings = names.map((name) => KNOWN_CODINGS[name.trim()])
  return codings.every((coding) => coding !== undefined) ? codings.reverse() : []
}

async function undoCodings(body: Buffer, codings: readonly Coding[], maxBytes: number): Promise<string> {
  let bytes = body
  for (const coding of codings) if (bytes.length > 0) bytes = await undoCoding(bytes, coding, maxBytes)
  return toText(bytes)
}

/** The text of a whole body, as `Response.text()` has it: UTF-8 without a byte order mark, with U+FFFD for invalid bytes. */
function toText(bytes: Buffer): string {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasByteOrderMark ? 3 : 0)
}

type Decode = (bytes: Buffer, options: ZlibOptions, callback: CompressCallback) => void

/** In a thread: a small body may be a large one. */
function undoCoding(bytes: Buffer, coding: Coding, maxBytes: number): Promise<Buffer> {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  // As in fetch and browsers, a compressed body without a proper end is accepted.
  const flush = coding === 'br' ? BROTLI_OPERATION_FLUSH : Z_SYNC_FLUSH
  const options = { flush, finishFlush: flush, maxOutputLength: Math.min(maxBytes, MAX_BUFFER_BYTES) }
  // Some servers send raw deflate under the name of zlib's format.
  const isZlib = ((bytes[0] ?? 0) & 0x0f) === 0x08
  const inflate = isZlib ? zlib.inflate : zlib.inflateRaw
  const decode: Decode = coding === 'br' ? zlib.brotliDecompress : coding === 'gzip' ? zlib.gunzip : inflate
  return new Promise((resolve, reject) => {
    decode(bytes, options, (error, decoded) => {
      if (error === null) resolve(decoded)
      else reject(isTooLarge(error) ? new ResponseTooLargeError(maxBytes) : error)
    })
  })
}

function isTooLarge(error: Error): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
}
