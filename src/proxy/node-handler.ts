import { startBackgroundTimer } from '../concurrency/clock.ts'
import { memoize } from '../utils/address.ts'
import { namedError } from '../utils/runtime.ts'
import { badRequest, failure, methodNotAllowed, Refusal, type Reply } from './respond.ts'
import type { MarketProxy } from './types.ts'

/** The parts of an `IncomingMessage` of `node:http` that the handler reads. */
export interface NodeRequest {
  /** The method as it was sent. */
  readonly method?: string | undefined
  /** The target as it was sent. */
  readonly url?: string | undefined
  /** The target before Express or Connect have taken the path off at which the handler is mounted. */
  readonly originalUrl?: string | undefined
  /** The header lines by their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The connection. */
  readonly socket?: object | null | undefined
}

/** The parts of a `ServerResponse` of `node:http` that the handler uses. */
export interface NodeResponse {
  /** Writes the status and the headers. */
  writeHead(status: number, headers: Record<string, string | string[]>): unknown
  /** Returns whether more may be written now. */
  write(chunk: Uint8Array): boolean
  /** Ends the answer, with its last part, or with all of it. */
  end(chunk?: Uint8Array | string): unknown
  /** Closes the connection. */
  destroy(): unknown
  /** Calls back at each `drain`, `close` or `error`. */
  on(event: 'drain' | 'close' | 'error', listener: () => void): unknown
}

/** `fetch` has no requests of these methods, so that there is none to hand to the proxy. */
const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK'])
/** How long a visitor may take to read what is left after the end of an answer. */
const MAX_READ_MS = 60_000

/**
 * A proxy as a handler of `node:http`, Express or Connect, and so of Vite. Every request is answered with a status, whatever its method, its target
 * and its headers are: 400 or 405 where it is no request that a proxy takes. It writes as fast as the visitor reads, and ends a call or a
 * stream when the visitor leaves.
 * @example
 * createServer(toNodeHandler(proxy)).listen(3000)
 * app.use('/api/market', toNodeHandler(proxy)) // Express
 */
export function toNodeHandler(proxy: MarketProxy): (request: NodeRequest, response: NodeResponse) => void {
  const originOf = memoize(readOrigin, MAX_ORIGINS)
  return (request, response) => {
    const connection = new Connection(response)
    answer(
      proxy,
      toRequest(request, originOf, () => connection.left),
    )
      .then((reply) => connection.send(reply))
      // Part of it may have been sent.
      .catch(() => response.destroy())
  }
}

class Connection {
  readonly #response: NodeResponse
  /** Made when it is asked for: it takes a twentieth of an answer that was kept. */
  #left: AbortController | undefined
  #hasLeft = false
  #wake = () => {}
  /** Stops the wait for the visitor to read what is left; undefined before the answer has ended. */
  #stopTimer: (() => void) | undefined

  constructor(response: NodeResponse) {
    this.#response = response
    const leave = () => {
      this.#stopTimer?.()
      this.#hasLeft = this.#stopTimer === undefined
      if (this.#hasLeft) this.#left?.abort(hasLeft())
      this.#wake()
    }
    response.on('close', leave)
    // Without a listener it would end the process.
    response.on('error', leave)
    response.on('drain', () => this.#wake())
  }

  get left(): AbortSignal {
    this.#left ??= new AbortController()
    if (this.#hasLeft) this.#left.abort(hasLeft())
    return this.#left.signal
  }

  async send({ status, headers, body }: Reply): Promise<void> {
    const response = this.#response
    const isStream = body !== null && 'getReader' in body
    if (isStream) await this.#sendParts(status, headers, body.getReader())
    if (this.#hasLeft) return
    if (body !== null && !isStream) headers['content-length'] = String(body.length)
    if (!isStream) response.writeHead(status, headers)
    this.#stopTimer = startBackgroundTimer(MAX_READ_MS, () => response.destroy())
    response.end(isStream || body === null ? undefined : body)
  }

  async #sendParts(
    status: number,
    headers: Reply['headers'],
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): Promise<void> {
    const cancel = () => void reader.cancel().catch(() => {})
    if (this.#hasLeft) return cancel()
    this.left.addEventListener('abort', cancel)
    // They are sent with the first part, which a stream has at once.
    this.#response.writeHead(status, headers)
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (this.#hasLeft) return
      // A stream that ends while its visitor reads nothing is not waited for.
      if (!this.#response.write(part.value)) await Promise.race([this.#writable(), reader.closed])
    }
  }

  /** Resolves when more may be written, or the visitor has left. */
  #writable(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      if (this.#hasLeft) resolve()
    })
  }
}

const hasLeft = () => namedError('AbortError', 'The visitor has left.')

async function answer(proxy: MarketProxy, request: Request | Refusal): Promise<Reply> {
  if (request instanceof Refusal) return failure(request, 'GET', (text) => text)
  const replies = (proxy as Partial<Replying>)[REPLIES]
  if (replies?.of === proxy) return replies.answer(request)
  const { status, headers, body } = await proxy(request)
  const cookies = headers.getSetCookie()
  return {
    status,
    headers: { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body,
  }
}

const REPLIES = Symbol('replies')
type Replying = { readonly [REPLIES]: { readonly of: MarketProxy; answer(request: Request): Promise<Reply> } }

/** Lets `toNodeHandler` do without a `Response`, which takes a third of an answer that was kept. What wraps or copies the proxy answers for itself. */
export function withReplies(proxy: MarketProxy, answer: (request: Request) => Promise<Reply>): MarketProxy {
  return Object.defineProperty(proxy, REPLIES, { value: { of: proxy, answer } })
}

/** Origins that are remembered: to read one takes a fiftieth of an answer that was kept. */
const MAX_ORIGINS = 100

/** @throws TypeError for a host that is none */
function readOrigin(text: string): string {
  const { origin, pathname, search, hash, username, password } = new URL(text)
  // `new URL` takes much for a host that is none, and leaves the rest of it to the path.
  if (pathname !== '/' || search || hash || username || password) throw new TypeError('The host is not valid.')
  return origin
}

/** The request as `fetch` has it; a refusal of one that it cannot have. */
function toRequest(request: NodeRequest, originOf: typeof readOrigin, left: () => AbortSignal): Request | Refusal {
  const { method = 'GET', headers, socket } = request
  if (FORBIDDEN_METHODS.has(method.toUpperCase())) return methodNotAllowed(`The proxy takes no ${method}.`)
  const { host = headers[':authority'] ?? 'localhost' } = headers
  const scheme = socket && 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
  try {
    const lines = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
    const standard = new Request(originOf(`${scheme}://${host}`) + pathOf(request), {
      method,
      headers: lines.map(([name, value]): [string, string] => [name, String(value)]),
    })
    // A signal that is handed over is followed by another one, which takes a tenth of an answer that was kept.
    return Object.defineProperty(standard, 'signal', { get: left })
  } catch {
    return badRequest('The target or a header of the request is not valid.')
  }
}

/** The path and the query of a target. A client of an HTTP proxy sends the whole URL. @throws TypeError for one that has no path */
function pathOf({ url = '/', originalUrl = url }: NodeRequest): string {
  if (originalUrl.startsWith('/')) return originalUrl
  const { pathname, search, protocol } = new URL(originalUrl)
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('The target is no URL of a server.')
  return pathname + search
}
