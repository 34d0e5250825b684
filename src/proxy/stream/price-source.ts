import type { Clock } from '../../concurrency/clock.ts'
import type { FeedPrice } from '../../feed/watch/types.ts'
import type { StreamRequest } from './read-stream.ts'
import { type PriceEvent, priceText } from './server-sent-events.ts'
import type { StreamSettings } from './stream-settings.ts'

/** What a stream gets of a source. */
export interface SourceReader {
  /** @param text the events as they are sent at this moment, made once for all readers */
  onEvents(events: readonly PriceEvent[], text: () => Uint8Array): void
}

/** One watch of the feed for all streams that ask for the same. */
export interface PriceSource {
  readonly id: string
  readonly everyMs: number
  /** The newest event of each address, oldest first. */
  latest(): Iterable<PriceEvent>
  encode(events: Iterable<PriceEvent>): Uint8Array
  /** Returns a function that leaves; the last one to leave ends the watch. */
  join(reader: SourceReader): () => void
}

export interface PriceSources {
  /** @throws the error of the feed */
  open(request: StreamRequest): PriceSource
}

export interface PriceSourceParts {
  readonly clock: Clock
  readonly feed: StreamSettings['feed']
  redact(text: string): string
}

export function createPriceSources({ clock, feed, redact }: PriceSourceParts): PriceSources {
  const sources = new Map<string, PriceSource>()
  const encoder = new TextEncoder()
  // Ids of another process or of an earlier source are not taken for ids of this one.
  const life = `${clock.now().toString(36)}${Math.floor(clock.random() * 2 ** 32).toString(36)}`
  let opened = 0

  function start(key: string, { addresses, everyMs }: StreamRequest): PriceSource {
    const latest = new Map<string, PriceEvent>()
    const readers = new Set<SourceReader>()
    let sequence = 0
    let unpublished: PriceEvent[] = []

    function publish(): void {
      const events = unpublished
      unpublished = []
      let encoded: Uint8Array | undefined
      const text = () => {
        encoded ??= source.encode(events)
        return encoded
      }
      for (const reader of [...readers]) reader.onEvents(events, text)
    }

    function onPrice(price: FeedPrice): void {
      const event = { sequence: ++sequence, price }
      latest.delete(price.address)
      latest.set(price.address, event)
      unpublished.push(event)
      // The prices of one batch arrive in one turn, and are sent together.
      if (unpublished.length === 1) queueMicrotask(publish)
    }

    const watch = feed.watch(addresses, { everyMs, onPrice, onError() {} })
    const source: PriceSource = {
      id: `${life}.${++opened}`,
      everyMs,
      latest: () => latest.values(),
      encode(events) {
        const now = clock.now()
        return encoder.encode(redact(Array.from(events, (event) => priceText(source.id, event, everyMs, now)).join('')))
      },
      join(reader) {
        readers.add(reader)
        return () => {
          if (!readers.delete(reader) || readers.size > 0) return
          watch.stop()
          sources.delete(key)
        }
      },
    }
    return source
  }

  return {
    open(request) {
      const key = `${request.everyMs} ${request.addresses}`
      const source = sources.get(key) ?? start(key, request)
      sources.set(key, source)
      return source
    },
  }
}
