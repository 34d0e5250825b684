import { nextTurn } from '../../concurrency/event-loop.ts'
import { markAsFake } from '../../utils/fake-mark.ts'
import type { HeaderLines } from '../rules/reply.ts'
import type { FakeFetch } from '../types.ts'
import type { Exchange, Handle, IncomingRequest } from './handle-request.ts'

/** The service as a `fetch`: without server and socket, with the same failures. */
export function createFetch(handle: Handle): FakeFetch {
  return markAsFake<FakeFetch>(async (input, init = {}) => {
    const incoming = readRequest(input, init)
    incoming.signal?.throwIfAborted()
    const exchange = await handle(incoming)
    const redirect = init.redirect ?? (isRequest(input) ? input.redirect : 'follow')
    if (exchange.delivery.kind === 'reset') return fail(exchange, connectionError('ECONNRESET'))
    // The service does not redirect, but a fault can. The fake does not follow redirects.
    if (redirect === 'error' && [301, 302, 303, 307, 308].includes(exchange.reply.status))
      return fail(exchange, new TypeError('fetch failed', { cause: new Error('unexpected redirect') }))
    return toResponse(exchange, incoming)
  })
}

/** Also one of another copy of `fetch`, or where there is no global `Request`. */
const isRequest = (input: Request | string | URL): input is Request => typeof input === 'object' && 'method' in input

function readRequest(input: Request | string | URL, init: RequestInit): IncomingRequest {
  const from = isRequest(input) ? input : undefined
  const url = new URL(from ? from.url : String(input), globalThis.location?.href)
  const headers = init.headers ? new Headers(init.headers) : (from?.headers ?? new Headers())
  const owner = init.signal === undefined ? from : init
  const signal = owner?.signal ?? undefined
  return { url, headers, signal, owner, method: (init.method ?? from?.method ?? 'GET').toUpperCase() }
}

function fail(exchange: Exchange, error: TypeError): never {
  exchange.finish()
  throw error
}

/** Turns an answer into a `Response`, whole or not. A reset has none. */
function toResponse(exchange: Exchange, incoming: IncomingRequest): Response | Promise<never> {
  const { reply, delivery, delivered, finish } = exchange
  if (delivery.kind !== 'truncated' && delivery.kind !== 'stalled') {
    delivered()
    finish()
    return new Response(reply.body && hasStreams() ? wholeBody(reply.body) : reply.body, reply)
  }
  if (!hasStreams()) return withoutStream(exchange, incoming)
  const bytes = new TextEncoder().encode(reply.body ?? '')
  const headers: HeaderLines = [...reply.headers, ['Content-Length', String(bytes.length)]]
  const part = bytes.slice(0, delivery.bytes)
  const body = delivery.kind === 'truncated' ? truncatedBody(part, finish) : stalledBody(part, exchange, incoming)
  return new Response(body, { status: reply.status, headers })
}

/** A `Response` of React Native takes no stream for a body. */
const hasStreams = () => 'body' in Response.prototype

/** Without streams `fetch` resolves at the end of a body, which these never reach. */
async function withoutStream(exchange: Exchange, incoming: IncomingRequest): Promise<never> {
  if (exchange.delivery.kind === 'stalled')
    await exchange.waitForEnd(incoming.signal).catch((reason) => fail(exchange, reason))
  return fail(exchange, connectionError('ECONNRESET'))
}

/** A stream of its own: Node 20 repeats a text for ever where fake timers replace the global `queueMicrotask`. */
function wholeBody(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })
}

function truncatedBody(bytes: Uint8Array, finish: () => void): ReadableStream<Uint8Array> {
  finish()
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes)
    },
    async pull(controller) {
      // An error discards queued chunks, so let the reader have them first, as a socket does.
      await nextTurn()
      const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
      controller.error(new TypeError('terminated', { cause }))
    },
  })
}

/** A body that stalls until the caller gives up or the service is closed. */
function stalledBody(
  bytes: Uint8Array,
  { waitForEnd, finish }: Exchange,
  incoming: IncomingRequest,
): ReadableStream<Uint8Array> {
  const { signal } = incoming
  const gone = new AbortController()
  // By way of `incoming`, so that its owner is kept.
  const giveUp = () => gone.abort(incoming.signal?.reason)
  signal?.addEventListener('abort', giveUp, { once: true })
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes)
      waitForEnd(signal && gone.signal).catch((reason) => {
        finish()
        signal?.removeEventListener('abort', giveUp)
        controller.error(reason)
      })
    },
    cancel() {
      finish()
      giveUp()
    },
  })
}

/** The error with which Node's `fetch` rejects when a connection breaks, or cannot be established. */
export function connectionError(code: 'ECONNRESET' | 'ECONNREFUSED'): TypeError {
  const what = code === 'ECONNRESET' ? 'read ECONNRESET' : 'connect ECONNREFUSED'
  return new TypeError('fetch failed', { cause: Object.assign(new Error(what), { code }) })
}

export function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}
