import type { TokenPrice } from '../generated/types.ts'
import { createDemand, type Demand } from './demand.ts'
import { createQueue, type Queue } from './queue.ts'
import type { Slot } from './riders.ts'

/** Who waits for an address, or wants to hear of it. */
export interface Reader {
  /** How old a price it takes, milliseconds. */
  readonly everyMs: number
  news(quote: Quote): void
  failed(quote: Quote, failure: Failure): void
}

/** Why a price did not come. */
export interface Failure {
  readonly error: unknown
  /** How long it takes until it is tried again. */
  readonly waitMs: number
  /** Whether trying again may help. */
  readonly passing: boolean
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
  /** Whether a request for it is under way. */
  flying: boolean
  readonly watchers: Set<Reader>
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
    const lead = Math.min(leadMs, quote.lastsMs / 4)
    quote.dueAt = quote.price === undefined ? quote.wantedAt : Math.floor(quote.at + quote.lastsMs - lead)
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
        flying: false,
        watchers: new Set(),
        lookUps: new Set(),
      }
      quotes.set(address, quote)
      if (quotes.size > MOST_ADDRESSES) forget()
      return quote
    },
    schedule,
    tune(factor, lead) {
      stretch = factor
      leadMs = lead
      for (const quote of demand.addresses()) schedule(quote)
    },
  }
}

function strictest(watchers: ReadonlySet<Reader>): number {
  let everyMs = Number.POSITIVE_INFINITY
  for (const watcher of watchers) everyMs = Math.min(everyMs, watcher.everyMs)
  return everyMs
}
