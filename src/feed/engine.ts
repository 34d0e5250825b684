import { Canceller } from '../abort.ts'
import type { Clock } from '../clock.ts'
import { createSlots } from '../slots.ts'
import type { Book, Failure, Quote, Reader } from './book.ts'
import type { FeedEvent } from './events.ts'
import type { Lead } from './lead.ts'
import type { Pace } from './pace.ts'
import { buyPrices, type PriceOf } from './purchase.ts'
import type { Load } from './riders.ts'
import { mostFor, shareOut } from './route.ts'
import type { Kept, Shelf } from './shelf.ts'
import type { Trouble } from './trouble.ts'
import type { FeedClient } from './types.ts'

export interface EngineParts {
  readonly client: FeedClient
  readonly clock: Clock
  readonly book: Book
  readonly pace: Pace
  readonly lead: Lead
  readonly trouble: Trouble
  readonly shelf: Shelf | undefined
  readonly signal: AbortSignal
  emit(event: FeedEvent): void
}

/** Gets prices for addresses whose time has come: from the store, else from the service. */
export interface Engine {
  /** Resolves to what was paid. Never rejects: every address ends with news or with a failure, or goes back when nobody wants it any longer. */
  fetch(load: Load<Quote>): Promise<number>
}

/** Requests in flight at most: two thousand addresses that begin together are forty. */
const MOST_REQUESTS = 10
/** A kept price is of use for at least this long. */
const LEAST_TTL_MS = 3_600_000

export function createEngine(parts: EngineParts): Engine {
  const { client, clock, book, pace, lead, trouble, shelf, signal, emit } = parts
  const slots = createSlots(MOST_REQUESTS)
  const ended = new Canceller()
  signal.addEventListener('abort', () => ended.abort(signal.reason), { once: true })

  function land(quote: Quote, { price, at }: Kept): void {
    quote.price = price
    quote.at = at
    quote.flying = false
    quote.lostAt = Number.NEGATIVE_INFINITY
    quote.missedAt = Number.POSITIVE_INFINITY
    book.schedule(quote)
    for (const reader of readersOf(quote)) reader.news(quote)
  }

  function crash(quotes: readonly Quote[], failure: Failure, begunAt: number): void {
    for (const quote of quotes) {
      quote.flying = false
      quote.missedAt = Math.min(quote.missedAt, begunAt)
      if (failure.dear) quote.lostAt = clock.now()
      book.schedule(quote)
      for (const reader of readersOf(quote)) reader.failed(quote, failure)
    }
  }

  function arrive(quotes: readonly Quote[], priceOf: PriceOf, at: number): void {
    for (const quote of quotes) {
      const kept = { price: priceOf(quote.address), at }
      land(quote, kept)
      shelf?.keep(quote.address, kept, usefulFor(quote))
    }
  }

  function putBack(quotes: readonly Quote[]): void {
    for (const quote of quotes) {
      quote.flying = false
      book.schedule(quote)
    }
  }

  async function buy(chunk: readonly Quote[], begunAt: number): Promise<number> {
    const freeSlot = await slots.take(ended)
    const quotes = chunk.filter(isWanted)
    putBack(chunk.filter((quote) => !isWanted(quote)))
    if (quotes.length === 0) {
      freeSlot()
      return 0
    }
    const addresses = quotes.map(({ address }) => address)
    const sentAt = clock.now()
    try {
      // What failed just now fails again: those who waited for a slot meanwhile wait on.
      if (sentAt < trouble.until && trouble.failure) {
        crash(quotes, { ...trouble.failure, dear: false }, begunAt)
        return 0
      }
      for (const quote of quotes) quote.lostAt = Number.NEGATIVE_INFINITY
      const { priceOf, credits } = await buyPrices(client, pace.budget, addresses, { signal, retry: false })
      if (quotes.some(({ watchers }) => watchers.size === 0)) pace.noteUnplanned(credits)
      // The first after a failure may have had to wait for the client as well, which is not what a request takes.
      if (trouble.state === 'none') lead.note(clock.now() - begunAt)
      if (trouble.clear(sentAt)) book.release()
      emit({ type: 'feed.bought', operation: quotes.length === 1 ? 'token.price' : 'prices.batch', addresses, credits })
      arrive(quotes, priceOf, sentAt)
      return credits
    } catch (error) {
      crash(quotes, trouble.note(error, sentAt), begunAt)
      return 0
    } finally {
      freeSlot()
    }
  }

  async function takeFromShelf(from: Shelf, quotes: readonly Quote[]): Promise<Set<Quote>> {
    const found = await Promise.all(quotes.map(({ address }) => from.find(address)))
    const now = clock.now()
    const missing = quotes.filter((quote, index) => {
      const kept = found[index]
      if (kept === undefined || kept.at <= quote.at || now - kept.at >= needOf(quote) * pace.stretch) return true
      land(quote, kept)
      return false
    })
    return new Set(missing)
  }

  async function fetchMissing({ due, riders }: Load<Quote>, begunAt: number): Promise<number> {
    const wanted = [...due, ...riders]
    const missing = shelf === undefined ? undefined : await takeFromShelf(shelf, wanted)
    // Nobody rides in a call that is not made, unless somebody has come to look it up meanwhile.
    const forced = [...due, ...riders.filter(({ lookUps }) => lookUps.size > 0)]
    if (missing && !forced.some((quote) => missing.has(quote) && isWanted(quote))) {
      putBack([...missing])
      return 0
    }
    const toBuy = missing === undefined ? wanted : wanted.filter((quote) => missing.has(quote))
    // What no longer fits the budget comes last, so that it does not keep the rest from being bought.
    const fitting = mostFor(pace.budget.available, toBuy.length)
    const chunks = [...shareOut(toBuy.slice(0, fitting)), ...shareOut(toBuy.slice(fitting))]
    const paid = await Promise.all(chunks.map((chunk) => buy(chunk, begunAt)))
    return paid.reduce((sum, credits) => sum + credits, 0)
  }

  return {
    async fetch(load) {
      const quotes = [...load.due, ...load.riders]
      for (const quote of quotes) quote.flying = true
      try {
        return await fetchMissing(load, clock.now())
      } catch (error) {
        // The feed was closed while requests waited for their turn.
        const left = quotes.filter(({ flying }) => flying)
        crash(left, { error, waitMs: 0, passing: false, dear: false }, clock.now())
        return 0
      }
    },
  }
}

/** A copy: who hears of a price may come or go. */
function readersOf({ watchers, lookUps }: Quote): readonly Reader[] {
  // Two sets spread into one list take several times as long as one.
  return lookUps.size === 0 ? [...watchers] : [...lookUps, ...watchers]
}

function isWanted({ watchers, lookUps }: Quote): boolean {
  return watchers.size > 0 || lookUps.size > 0
}

/** The age that satisfies everybody who waits for an address. */
function needOf({ watchers, lookUps }: Quote): number {
  let needMs = Number.POSITIVE_INFINITY
  for (const { everyMs } of watchers) needMs = Math.min(needMs, everyMs)
  for (const { everyMs } of lookUps) needMs = Math.min(needMs, everyMs)
  return needMs
}

/** The age at which a price is of no use to any of its watchers. */
function usefulFor({ watchers }: Quote): number {
  let ttlMs = LEAST_TTL_MS
  for (const { everyMs } of watchers) ttlMs = Math.max(ttlMs, everyMs)
  return ttlMs
}
