import { internalsOf } from '../../client-internals.ts'
import { type Clock, startTimer } from '../../concurrency/clock.ts'
import { refuse } from '../refusal.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { createPriceSources } from './price-source.ts'
import { readStream } from './read-stream.ts'
import type { StreamSettings } from './stream-settings.ts'

/** The open streams of a proxy. */
export interface Streams {
  /** @throws Refusal, or the error of the feed for an invalid address */
  open(request: Request, url: URL, visitor: string): Response
  /** Ends all. */
  close(): void
}

/** When a page may ask again that has too many streams. */
const RETRY_MS = 10_000

/** Proxies before this one must neither keep nor collect what is sent. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

export function createStreams(settings: StreamSettings, clock: Clock, redact: (text: string) => string): Streams {
  const { feed, maxPerVisitor, heartbeatMs } = settings
  // The feed may be made of another client, with another key.
  const redactOfFeed = internalsOf(feed)?.redact ?? ((text: string) => text)
  const sources = createPriceSources({ clock, feed, redact: (text) => redact(redactOfFeed(text)) })
  const streams = new Set<EventStream>()
  const countByVisitor = new Map<string, number>()
  let stopTimer: (() => void) | undefined

  function setTimer(): void {
    // Twice in that time, so that no stream is silent for longer, whenever it was written to.
    stopTimer ??= startTimer(clock, heartbeatMs / 2, () => {
      stopTimer = undefined
      // A closed feed has no more prices: its pages reconnect, or buy.
      if (feed.status().state === 'closed') endAll()
      for (const stream of [...streams]) stream.heartbeat()
      if (streams.size > 0) setTimer()
    })
  }

  function endAll(): void {
    for (const stream of [...streams]) stream.end()
  }

  function count(visitor: string, change: number): void {
    const open = (countByVisitor.get(visitor) ?? 0) + change
    if (open > 0) countByVisitor.set(visitor, open)
    else countByVisitor.delete(visitor)
  }

  return {
    open(request, url, visitor) {
      const asked = readStream(url, settings)
      if ((countByVisitor.get(visitor) ?? 0) >= maxPerVisitor)
        throw refuse(429, 'too_many_streams', `You have ${maxPerVisitor} open streams.`, { retryAfterMs: RETRY_MS })
      const { signal, headers } = request
      const onAbort = () => stream.end()
      const stream = createEventStream({
        source: sources.open(asked),
        heartbeatMs,
        lastEventId: headers.get('last-event-id'),
        onEnd() {
          signal.removeEventListener('abort', onAbort)
          streams.delete(stream)
          count(visitor, -1)
          if (streams.size > 0) return
          stopTimer?.()
          stopTimer = undefined
        },
      })
      streams.add(stream)
      count(visitor, 1)
      setTimer()
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
      return new Response(stream.body, { headers: HEADERS })
    },
    close: endAll,
  }
}
