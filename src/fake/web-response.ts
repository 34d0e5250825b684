import type { Exchange } from './answer.ts'
import { nextTurn, terminated } from './network.ts'

/** Plays an answer as a response, whole or not. A reset has none. */
export function playAsResponse(exchange: Exchange, signal: AbortSignal | undefined): Response {
  const { reply, ending, delivered, finish } = exchange
  const headers = new Headers()
  for (const [name, value] of reply.headers) headers.append(name, value)
  if (ending.kind !== 'cut' && ending.kind !== 'stall') {
    delivered()
    finish()
    return new Response(reply.body, { status: reply.status, headers })
  }
  const bytes = new TextEncoder().encode(reply.body ?? '')
  headers.set('Content-Length', String(bytes.length))
  const part = bytes.slice(0, ending.bytes)
  const body = ending.kind === 'cut' ? cut(part, finish) : stalled(part, exchange, signal)
  return new Response(body, { status: reply.status, headers })
}

/** A body that breaks off. */
function cut(bytes: Uint8Array, finish: () => void): ReadableStream<Uint8Array> {
  finish()
  let sent = bytes.length === 0
  return new ReadableStream({
    async pull(controller) {
      if (!sent) {
        sent = true
        return controller.enqueue(bytes)
      }
      // An error throws away what is still queued: first let the reader have it, as on a wire.
      await nextTurn()
      controller.error(terminated())
    },
  })
}

/** A body that stops coming, until the caller gives up or the service is closed. */
function stalled(
  bytes: Uint8Array,
  { hang, finish }: Exchange,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  const leave = () => gone.abort(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes)
      hang(signal && gone.signal).catch((reason) => {
        finish()
        signal?.removeEventListener('abort', leave)
        controller.error(reason)
      })
    },
    cancel() {
      finish()
      leave()
    },
  })
}
