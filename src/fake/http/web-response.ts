import { nextTurn } from '../../concurrency/event-loop.ts'
import type { Exchange } from './handle-request.ts'
import { bodyTerminatedError } from './network-errors.ts'

/** Turns an answer into a `Response`, whole or not. A reset has none. */
export function toResponse(exchange: Exchange, signal: AbortSignal | undefined): Response {
  const { reply, delivery, delivered, finish } = exchange
  const headers = new Headers()
  for (const [name, value] of reply.headers) headers.append(name, value)
  if (delivery.kind !== 'truncated' && delivery.kind !== 'stalled') {
    delivered()
    finish()
    return new Response(reply.body && wholeBody(reply.body), { status: reply.status, headers })
  }
  const bytes = new TextEncoder().encode(reply.body ?? '')
  headers.set('Content-Length', String(bytes.length))
  const part = bytes.slice(0, delivery.bytes)
  const body = delivery.kind === 'truncated' ? truncatedBody(part, finish) : stalledBody(part, exchange, signal)
  return new Response(body, { status: reply.status, headers })
}

/**
 * The body as a stream of its own. Node 20 ends the stream of a text with the global `queueMicrotask`: where fake timers replace that, it
 * repeats the text for ever.
 */
function wholeBody(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })
}

/** A body that ends with an error. */
function truncatedBody(bytes: Uint8Array, finish: () => void): ReadableStream<Uint8Array> {
  finish()
  let sent = bytes.length === 0
  return new ReadableStream({
    async pull(controller) {
      if (!sent) {
        sent = true
        return controller.enqueue(bytes)
      }
      // An error discards queued chunks, so let the reader have them first, as a socket does.
      await nextTurn()
      controller.error(bodyTerminatedError())
    },
  })
}

/** A body that stalls until the caller gives up or the service is closed. */
function stalledBody(
  bytes: Uint8Array,
  { waitForEnd, finish }: Exchange,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  const giveUp = () => gone.abort(signal?.reason)
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
