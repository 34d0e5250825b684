import type { StreamReport } from '../../feed/stream/stream-state.ts'
import type { FeedPrice } from '../../feed/watch/types.ts'

/** A price as it was published, with its place in the order of one source. */
export interface PriceEvent {
  readonly sequence: number
  readonly price: FeedPrice
}

/** What a new stream begins with: how long a browser waits before it reconnects, and what the page may expect. */
export function openingText(everyMs: number, heartbeatMs: number): string {
  return `retry: 5000\nevent: settings\ndata: ${JSON.stringify({ everyMs, heartbeatMs })}\n\n`
}

/** The state of a stream. It has no id: a page that reconnects gets the newest anyway. */
export function statusText(report: StreamReport): string {
  return `event: status\ndata: ${JSON.stringify(report)}\n\n`
}

/** A comment, which shows both sides that the connection is there. */
export const HEARTBEAT = ':\n\n'

/** The age of a price is that of the moment at which it is sent. */
export function priceText(sourceId: string, { sequence, price }: PriceEvent, everyMs: number, now: number): string {
  const ageMs = now - price.at
  const sent = { ...price, ageMs, stale: price.stale || ageMs > everyMs }
  return `id: ${sourceId}.${sequence}\nevent: price\ndata: ${JSON.stringify(sent)}\n\n`
}

/** The sequence that a reconnecting page has seen; 0 where its id is of another source. */
export function seenSequence(sourceId: string, lastEventId: string | null): number {
  const digits = lastEventId?.startsWith(`${sourceId}.`) ? lastEventId.slice(sourceId.length + 1) : ''
  return /^\d{1,15}$/.test(digits) ? Number(digits) : 0
}
