import type { TokenPrice } from '../generated/types.ts'
import { createDemand, type Demand } from './demand.ts'
import { leadFor } from './lead.ts'
import { createQueue, type Queue } from './queue.ts'
import type { Slot } from './riders.ts'

/** Who waits for an address, or wants to hear of it. */
export interface Reader {
  /** How old a price it takes, milliseconds. */
  readonly everyMs: number
  news(quote: Quote): void
  failed(quote: Quote, failure: Failure): void
}

/** Who waits for an address again and again. */
export interface Watcher extends Reader {
  /** All that it watches. */
  readonly quotes: readonly Quote[]
}

/** Why a price did not come. */
export interface Failure {
  readonly error: unknown
  /** How long it takes until it is tried again. */
  readonly waitMs: number
  /** Whether trying again may help. */
  readonly passing: boolean
  /** Whether to try again may be paid for in vain: who watches waits as if a price had come. */
  readonly dear: boolean
}

/** An address: what is known of it, and who wants to know. */
export interface Quote extends Slot {
  /** In EIP-55 form. */
  readonly address: string
  /** Null: it has no price. Undefined: nothing is known. */
  price: TokenPrice | null | undefined
  /** When `price` was asked for; -Infinity as long as nothing is known. */
  at: number
  /** Since when it has been waiting for a first price, with the window in which others may join. */
  wantedAt: number
  /** When it may have been paid for in vain; -Infinity once it was not, or is asked for again. */
  lostAt: number
  /** Since when it has been asked for in vain; Infinity when it was not. */
  missedAt: number
  /** When it was lost before it was last let off its wait. */
  letOffAt: number
  /** Whether a request for it is under way. */
  flying: boolean
  readonly watchers: Set<Watcher>
  readonly lookUps: Set<Reader>
}

/** Every address that the feed knows, and the order in which they fall due. */
export interface Book {
  readonly due: Queue<Quote>
  readonly demand: Demand<Quote>
  readonly size: number
  /** Addresses that somebody watches. */
  watched(): readonly Quote[]
  open(address: string): Quote
  /** Puts an address where its watchers and its age say. */
  schedule(quote: Quote): void
  /** Lets off their wait those who were lost. */
  release(): void
  /** Moves every deadline: intervals are so many times as long, and requests take so long. */
  tune(stretch: number, leadMs: number): void
}

/** Prices that nobody watches are forgotten when there are more addresses than this, the longest known first. */
const MOST_ADDRESSES = 10_000

export function createBook(): Book {
  const quotes = new Map<string, Quote>()
  const due = createQueue<Quote>(({ dueAt }) => dueAt)
  const demand = createDemand<Quote>()
  let stretch = 1
  let leadMs = 0

  function schedule(quote: Quote): void {
    const everyMs = strictest(quote.watchers)
    demand.set(quote, everyMs)
    if (everyMs === Number.POSITIVE_INFINITY || quote.flying) {
      due.delete(quote)
      return
    }
    quote.lastsMs = everyMs * stretch
    // A request has to go out before the deadline by as long as it takes, and no timer knows fractions.
    const lead = leadFor(quote.lastsMs, leadMs)
    const neededAt = quote.price === undefined ? quote.wantedAt : Math.floor(quote.at + quote.lastsMs - lead)
    quote.dueAt = Math.max(neededAt, quote.lostAt + quote.lastsMs)
    due.put(quote)
  }

  function forget(): void {
    for (const [address, { watchers, lookUps, flying }] of quotes) {
      if (quotes.size <= MOST_ADDRESSES) break
      if (watchers.size === 0 && lookUps.size === 0 && !flying) quotes.delete(address)
    }
  }

  return {
    due,
    demand,
    get size() {
      return quotes.size
    },
    watched: () => demand.addresses(),
    open(address) {
      const known = quotes.get(address)
      if (known !== undefined) return known
      const quote: Quote = {
        address,
        price: undefined,
        at: Number.NEGATIVE_INFINITY,
        wantedAt: Number.POSITIVE_INFINITY,
        dueAt: Number.POSITIVE_INFINITY,
        lastsMs: Number.POSITIVE_INFINITY,
        lostAt: Number.NEGATIVE_INFINITY,
        letOffAt: Number.NEGATIVE_INFINITY,
        missedAt: Number.POSITIVE_INFINITY,
        flying: false,
        watchers: new Set(),
        lookUps: new Set(),
      }
      quotes.set(address, quote)
      if (quotes.size > MOST_ADDRESSES) forget()
      return quote
    },
    schedule,
    release() {
      for (const quote of demand.addresses()) {
        const { lostAt, letOffAt, lastsMs } = quote
        // Once in its interval: it may be lost each time, while others are not.
        if (lostAt === Number.NEGATIVE_INFINITY || lostAt - letOffAt < lastsMs) continue
        quote.letOffAt = lostAt
        quote.lostAt = Number.NEGATIVE_INFINITY
        schedule(quote)
      }
    },
    tune(factor, lead) {
      stretch = factor
      leadMs = lead
      for (const quote of demand.addresses()) schedule(quote)
    },
  }
}

/** What the watch for which an address falls due first would buy with it: all that it did not get since then. */
export function companionsOf({ watchers, dueAt, missedAt }: Quote): readonly Quote[] {
  const since = Math.min(dueAt, missedAt)
  let first: Watcher | undefined
  for (const watcher of watchers) if (first === undefined || watcher.everyMs < first.everyMs) first = watcher
  return first?.quotes.filter(({ flying, at }) => !flying && at < since) ?? []
}

function strictest(watchers: ReadonlySet<Reader>): number {
  let everyMs = Number.POSITIVE_INFINITY
  for (const watcher of watchers) everyMs = Math.min(everyMs, watcher.everyMs)
  return everyMs
}
