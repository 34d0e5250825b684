import type { PriceSource } from './price-source.ts'
import { HEARTBEAT, openingText, type PriceEvent, seenSequence } from './server-sent-events.ts'

/** The body of one stream. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** Sends a comment, unless something was sent since the call before the last one. */
  heartbeat(): void
  /** Ends it from this side. */
  end(): void
}

export interface EventStreamOptions {
  readonly source: PriceSource
  readonly heartbeatMs: number
  readonly lastEventId: string | null
  /** Called once, however it ends. */
  onEnd(): void
}

/**
 * Prices are written when the reader asks for more. Until then, one of an address replaces the one before, so that a slow reader gets
 * the newest only and holds no more than one for each address.
 */
export function createEventStream({ source, heartbeatMs, lastEventId, onEnd }: EventStreamOptions): EventStream {
  const encoder = new TextEncoder()
  const seen = seenSequence(source.id, lastEventId)
  /** By address, in the order of their sequence: what is read up to an id is complete. */
  const unread = new Map<string, PriceEvent>()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Set while the reader waits. */
  let onWritten: (() => void) | undefined
  let idleTicks = 0
  let isEnded = false

  function write(bytes: Uint8Array): void {
    controller?.enqueue(bytes)
    idleTicks = 0
    onWritten?.()
    onWritten = undefined
  }

  function keep(events: Iterable<PriceEvent>): void {
    for (const event of events) {
      unread.delete(event.price.address)
      unread.set(event.price.address, event)
    }
  }

  function writeUnread(): void {
    const bytes = source.encode(unread.values())
    unread.clear()
    write(bytes)
  }

  function end(): void {
    if (isEnded) return
    isEnded = true
    leave()
    unread.clear()
    onWritten?.()
    onWritten = undefined
    onEnd()
  }

  const leave = source.join({
    onEvents(events, text) {
      if (onWritten && unread.size === 0) return write(text())
      keep(events)
      if (onWritten) writeUnread()
    },
  })
  for (const event of source.latest()) if (event.sequence > seen) unread.set(event.price.address, event)

  const body = new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created
        created.enqueue(encoder.encode(openingText(source.everyMs, heartbeatMs)))
      },
      pull() {
        if (unread.size > 0) return writeUnread()
        return new Promise((resolve) => {
          onWritten = resolve
        })
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return {
    body,
    heartbeat() {
      if (++idleTicks >= 2 && onWritten) write(encoder.encode(HEARTBEAT))
    },
    end() {
      if (isEnded) return
      end()
      controller?.close()
    },
  }
}
