import type { StreamReport } from '../../feed/stream/stream-state.ts'
import type { PriceSource } from './price-source.ts'
import { HEARTBEAT, openingText, type PriceEvent, seenSequence, statusText } from './server-sent-events.ts'
import type { StreamVisitor } from './stream-visitor.ts'

/** The body of one stream. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** To be called twice in a heartbeat. Sends a comment when there was no news, and ends a stream that nobody reads. */
  heartbeat(): void
  /** Sends the page the state of the stream, if it has changed. */
  report(status: StreamReport): void
  /** Ends it from this side. */
  end(): void
}

export interface EventStreamOptions {
  readonly source: PriceSource
  readonly heartbeatMs: number
  readonly lastEventId: string | null
  readonly visitor: StreamVisitor
  /** The state at the start. */
  status(): StreamReport
  /** Called once, however it ends. */
  onEnd(): void
}

const TICKS_OF_HEARTBEAT = 2
/** A page takes a stream for lost earlier. Some servers, such as workerd without `enable_request_signal`, do not report who leaves. */
const MAX_UNREAD_TICKS = 4 * TICKS_OF_HEARTBEAT

/**
 * Prices are written when the reader asks for more. Until then, one of an address replaces the one before, so that a slow reader gets
 * the newest only and holds no more than one for each address.
 */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { source, heartbeatMs, lastEventId, visitor, status, onEnd } = options
  const encoder = new TextEncoder()
  const seen = seenSequence(source.id, lastEventId)
  /** By address, in the order of their sequence: what is read up to an id is complete. */
  const unread = new Map<string, PriceEvent>()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Set while the reader waits. */
  let onWritten: (() => void) | undefined
  /** The state that the page knows, and one that it has not read yet. */
  let told: StreamReport | undefined
  let untold: StreamReport | undefined
  let idleTicks = 0
  let isOpened = false
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
    const prices = source.encode(unread.values())
    unread.clear()
    write(untold ? concat(encoder.encode(takeStatus(untold)), prices) : prices)
  }

  function takeStatus(report: StreamReport): string {
    told = report
    untold = undefined
    return statusText(report)
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
    visitor,
    onEvents(events, text) {
      if (onWritten && unread.size === 0 && !untold) return write(text())
      keep(events)
      if (onWritten) writeUnread()
    },
  })
  for (const event of source.latest()) if (event.sequence > seen) unread.set(event.price.address, event)

  const body = new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created
      },
      pull() {
        // Not when it starts: whatever is read has been pulled, so that a stream without pulls is one that nobody reads.
        if (!isOpened) {
          isOpened = true
          return write(encoder.encode(openingText(source.everyMs, heartbeatMs) + takeStatus(status())))
        }
        if (unread.size > 0 || untold) return writeUnread()
        return new Promise((resolve) => {
          onWritten = resolve
        })
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  function endFromHere(): void {
    if (isEnded) return
    end()
    controller?.close()
  }

  return {
    body,
    heartbeat() {
      idleTicks++
      if (onWritten && idleTicks >= TICKS_OF_HEARTBEAT) write(encoder.encode(HEARTBEAT))
      else if (idleTicks >= MAX_UNREAD_TICKS) endFromHere()
    },
    report(status) {
      if (!isOpened) return
      // How long it lasts is news only together with something else.
      const isKnown = told?.state === status.state && told.everyMs === status.everyMs
      untold = isKnown ? undefined : status
      if (onWritten && untold) writeUnread()
    },
    end: endFromHere,
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
