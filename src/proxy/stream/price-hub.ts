import type { AgeClock } from '../../concurrency/clock.ts'
import { creditsFor } from '../../credits/cheapest-requests.ts'
import { isStale, ON_ITS_WAY_MS, streamedAge } from '../../feed/prices/tracked-price.ts'
import type { StreamReport } from '../../feed/stream/stream-state.ts'
import type { FeedStatus } from '../../feed/types.ts'
import type { FeedPrice, Watch } from '../../feed/watch/types.ts'
import { onceInTurn } from '../../utils/runtime.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { StreamSettings } from '../settings.ts'
import type { StreamedAddresses } from '../types.ts'

export interface PriceEvent {
  /** Its place in the order of all prices of the hub. */
  readonly sequence: number
  /** When it was as new as it gets, by the age clock. */
  readonly at: number
  /** The same moment in unix milliseconds, as the feed has it. */
  readonly requestedAt: number
  /** Its JSON without the closing brace and what changes with time. */
  readonly body: string
}

/** An address that is wanted, or was until a moment ago. */
interface Place {
  wants: number
  /** When another address may take the place, by the age clock; Infinity while it is wanted. */
  freeAt: number
  /** The visitor whose share it counts in; undefined as soon as another one wants it, too. */
  visitor: string | undefined
  event: PriceEvent | undefined
}

/**
 * One watch of the feed for all streams, over the addresses that are wanted now. Each price is bought once, at the pace of the operator, so that
 * the cost has a bound that no visitor changes: 50 credits for each place and interval. An address keeps its place for an interval after the last
 * visitor has left, so that addresses that take turns are bought no more often than addresses that stay.
 */
export class PriceHub {
  readonly #settings: StreamSettings
  readonly #clock: AgeClock
  /** Once for all streams that open and close in one turn. */
  readonly #changeWatch: () => void
  /** The prices of one batch arrive in one turn, and are sent together. */
  readonly #publish: () => void
  /** By address in EIP-55 form. */
  readonly #places = new Map<string, Place>()
  #watch: Watch | undefined
  /** The interval of the watch. The feed buys a price by the lead earlier: then it buys each once in `everyMs`, however long answers take. */
  #maxAgeMs: number
  /** As it was at the last look. */
  #status: FeedStatus
  /** Until when the credits are used up, by the age clock. */
  #brokeUntil = Number.NEGATIVE_INFINITY
  sequence = 0

  /**
   * @param onNews called after prices have arrived, when they fail to, and when the feed takes no more watches
   */
  constructor(settings: StreamSettings, clock: AgeClock, onNews: () => void) {
    this.#settings = settings
    this.#clock = clock
    this.#status = settings.feed.status()
    this.#maxAgeMs = settings.everyMs
    this.#changeWatch = onceInTurn(() => {
      try {
        this.#updateWatch(this.wanted)
      } catch {
        // Its addresses have been checked: the feed is closed.
        this.#publish()
      }
    })
    this.#publish = onceInTurn(() => {
      this.refresh()
      onNews()
    })
  }

  /** A stream of a visitor wants an address. Returns whether there is a place for it. */
  take(address: string, visitor: string): boolean {
    const place = this.#places.get(address) ?? this.#open(visitor)
    if (place === undefined) return false
    this.#places.set(address, place)
    if (place.wants === 0) this.#changeWatch()
    place.wants++
    place.freeAt = Number.POSITIVE_INFINITY
    if (place.visitor !== visitor) place.visitor = undefined
    return true
  }

  /** A stream no longer wants an address. */
  leave(address: string): void {
    const place = this.#places.get(address)
    if (place === undefined) return
    place.wants--
    if (place.wants > 0) return
    place.freeAt = this.now() + this.#settings.everyMs
    this.#changeWatch()
  }

  find(address: string): PriceEvent | undefined {
    return this.#places.get(address)?.event
  }

  now(): number {
    return this.#clock.now()
  }

  get wanted(): string[] {
    return [...this.#places].flatMap(([address, { wants }]) => (wants > 0 ? address : []))
  }

  /**
   * The pace that pages are told. It is longer while the feed's budget is too small, and by what answers take beyond the time that a page allows for
   * one on its way.
   */
  get pace(): number {
    const { stretch } = this.#status
    return Math.round(Math.max(this.#settings.everyMs * stretch, this.#maxAgeMs * stretch - ON_ITS_WAY_MS))
  }

  get isClosed(): boolean {
    return this.#status.state === 'closed'
  }

  refresh(): void {
    this.#status = this.#settings.feed.status()
    const { state, reason = '', stretch, leadMs } = this.#status
    const { everyMs } = this.#settings
    // Of an interval the lead takes half at most.
    const maxAgeMs = everyMs + Math.min(everyMs, leadMs)
    if (maxAgeMs !== this.#maxAgeMs) this.#changeWatch()
    this.#maxAgeMs = maxAgeMs
    // Those of the feed's budget, or those of the key.
    if (state === 'stopped' && /budget|credits/.test(reason)) this.#brokeUntil = this.now() + this.#waitMs
    else if (state === 'running' && stretch === 1) this.#brokeUntil = Number.NEGATIVE_INFINITY
  }

  /** What a stream of some addresses is told about itself. The worse state holds for the day: a budget that is nearly used up buys now and then. */
  report(addresses: readonly string[], now: number): StreamReport {
    const everyMs = this.pace
    const { state } = this.#status
    const report = (state: StreamReport['state'], waitMs: number, code?: string): StreamReport => {
      const isKnown = waitMs > 0 && waitMs < Number.POSITIVE_INFINITY
      return { state, everyMs, code, waitMs: isKnown ? Math.ceil(waitMs) : undefined }
    }
    if (this.#brokeUntil > now) return report('out_of_credits', this.#brokeUntil - now, 'out_of_credits')
    if (state === 'stopped') return report('refused', this.#waitMs, 'upstream_refused')
    const isWaiting = state === 'waiting'
    const isLate = addresses.some((address) => {
      const event = this.find(address)
      return event === undefined ? isWaiting : isStale(now - event.at, streamedAge(0, everyMs))
    })
    if (!isLate) return report('connected', 0)
    return report('stale', this.#waitMs, isWaiting ? 'upstream_down' : undefined)
  }

  cost(): StreamedAddresses {
    const { everyMs } = this.#settings
    this.refresh()
    const addresses = this.wanted.length
    const perDay = DAY_MS / everyMs
    const staying = Math.round(creditsFor(addresses) * perDay)
    const rotating = Math.round(creditsFor(1) * addresses * perDay)
    const { limit = Number.POSITIVE_INFINITY } = this.#status
    const stretchOf = (credits: number) => Math.max(1, credits / limit)
    const stretch = { staying: stretchOf(staying), rotating: stretchOf(rotating) }
    return { addresses, everyMs, creditsPerDay: { staying, rotating }, stretch }
  }

  close(): void {
    this.#stopWatch()
    this.#places.clear()
  }

  get #waitMs(): number {
    return this.#clock.fromUnix(this.#status.until ?? 0) - this.now()
  }

  #open(visitor: string): Place | undefined {
    const { maxAddresses, addresses } = this.#settings
    // The most that are there for one visitor alone.
    const share = addresses === 'any' ? Math.ceil(maxAddresses / 2) : maxAddresses
    const now = this.now()
    let own = 0
    for (const [address, place] of this.#places) {
      if (place.freeAt <= now) this.#places.delete(address)
      else if (place.visitor === visitor) own++
    }
    if (this.#places.size >= maxAddresses || own >= share) return undefined
    return { wants: 0, freeAt: 0, visitor, event: undefined }
  }

  #updateWatch(addresses: readonly string[]): void {
    if (addresses.length === 0) {
      this.#stopWatch()
      return
    }
    const everyMs = this.#maxAgeMs
    this.#watch?.update({ addresses, everyMs })
    this.#watch ??= this.#settings.feed.watch(addresses, {
      everyMs,
      onPrice: (price) => this.#keep(price),
      onError: () => this.#publish(),
    })
  }

  #stopWatch(): void {
    this.#watch?.stop()
    this.#watch = undefined
  }

  #keep({ ageMs, stale: _, ...price }: FeedPrice): void {
    const place = this.#places.get(price.address)
    if (place === undefined) return
    const at = this.now() - ageMs
    // A price that has become stale is reported again. Pages see that for themselves.
    if (place.event?.requestedAt !== price.at) {
      const body = this.#settings.redact(JSON.stringify(price)).slice(0, -1)
      this.sequence++
      place.event = { sequence: this.sequence, at, requestedAt: price.at, body }
    }
    this.#publish()
  }
}
