import type { Clock } from '../../concurrency/clock.ts'
import type { FeedPrice, Watch } from '../../feed/watch/types.ts'
import { checksumAddress, memoize } from '../../utils/address.ts'
import type { FeedInternals } from './feed-access.ts'
import type { StreamRequest } from './read-stream.ts'
import { type PriceEvent, priceText } from './server-sent-events.ts'
import type { StreamVisitor } from './stream-visitor.ts'

/** One stream of a source. */
export interface SourceReader {
  readonly visitor: StreamVisitor
  /** @param text the events as they are sent at this moment, made once for all readers */
  onEvents(events: readonly PriceEvent[], text: () => Uint8Array): void
}

/** One watch of the feed for all streams that ask for the same. */
export interface PriceSource {
  readonly id: string
  /** The interval that the streams ask for. */
  readonly everyMs: number
  /** In EIP-55 form. */
  readonly addresses: readonly string[]
  /** By how much the interval is stretched. */
  readonly stretch: number
  /** Whether a price is older than the interval that it is bought at. */
  readonly isLate: boolean
  /** Those who read it. */
  readonly visitors: ReadonlySet<StreamVisitor>
  /** The newest event of each address, oldest first. */
  latest(): Iterable<PriceEvent>
  encode(events: Iterable<PriceEvent>): Uint8Array
  /** Stretches the interval, and pauses the watch while nobody can pay. */
  setPace(stretch: number, isPaid: boolean): void
  /** Returns a function that leaves; the last one to leave ends the watch. */
  join(reader: SourceReader): () => void
}

export interface PriceSources {
  list(): readonly PriceSource[]
  /** The sources of an address in EIP-55 form. */
  of(address: string): ReadonlySet<PriceSource>
  /** The number of different addresses. */
  readonly addresses: number
  open(request: StreamRequest): PriceSource
}

export interface PriceSourceParts {
  readonly clock: Clock
  readonly watch: FeedInternals['watchForVisitors']
  redact(text: string): string
  /** Called when `isLate` has changed. */
  onLate(): void
}

export function createPriceSources({ clock, watch: startWatch, redact, onLate }: PriceSourceParts): PriceSources {
  const sources = new Map<string, PriceSource>()
  const byAddress = new Map<string, Set<PriceSource>>()
  const checksum = memoize(checksumAddress)
  const encoder = new TextEncoder()
  // Ids of another process or of an earlier source are not taken for ids of this one.
  const life = `${clock.now().toString(36)}${Math.floor(clock.random() * 2 ** 32).toString(36)}`
  let opened = 0

  function start(key: string, { addresses: inputs, everyMs }: StreamRequest): PriceSource {
    const addresses = [...new Set(inputs.map(checksum))]
    const latest = new Map<string, PriceEvent>()
    const readers = new Set<SourceReader>()
    const late = new Set<string>()
    let visitors: Set<StreamVisitor> | undefined
    let stretch = 1
    /** Undefined until the first purchase is paid for: nothing is bought before its interval is known. */
    let watch: Watch | undefined
    let isPaused = true
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
      const wasLate = late.size > 0
      if (price.stale) late.add(price.address)
      else late.delete(price.address)
      if (late.size > 0 !== wasLate) onLate()
    }

    const source: PriceSource = {
      id: `${life}.${++opened}`,
      everyMs,
      addresses,
      get stretch() {
        return stretch
      },
      get isLate() {
        return late.size > 0
      },
      get visitors() {
        visitors ??= new Set(Array.from(readers, ({ visitor }) => visitor))
        return visitors
      },
      latest: () => latest.values(),
      encode(events) {
        const now = clock.now()
        return encoder.encode(redact(Array.from(events, (event) => priceText(source.id, event, everyMs, now)).join('')))
      },
      setPace(next, isPaid) {
        if (next === stretch && isPaid !== isPaused) return
        stretch = next
        isPaused = !isPaid
        const pace = { everyMs: everyMs * stretch }
        if (watch) watch.update({ ...pace, addresses: isPaused ? [] : inputs })
        else if (isPaid) watch = startWatch(inputs, { ...pace, onPrice, onError() {} })
      },
      join(reader) {
        readers.add(reader)
        visitors = undefined
        return () => {
          if (!readers.delete(reader)) return
          visitors = undefined
          if (readers.size > 0) return
          watch?.stop()
          sources.delete(key)
          for (const address of addresses) {
            const others = byAddress.get(address)
            others?.delete(source)
            if (others?.size === 0) byAddress.delete(address)
          }
        }
      },
    }
    for (const address of addresses) byAddress.set(address, (byAddress.get(address) ?? new Set()).add(source))
    return source
  }

  return {
    list: () => [...sources.values()],
    of: (address) => byAddress.get(address) ?? new Set(),
    get addresses() {
      return byAddress.size
    },
    open(request) {
      const key = `${request.everyMs} ${request.addresses}`
      const source = sources.get(key) ?? start(key, request)
      sources.set(key, source)
      return source
    },
  }
}
