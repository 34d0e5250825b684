import { operations } from '../generated/operations.ts'
import type { Trade } from '../generated/types.ts'

const { base, perItem, maxItems } = operations['trade.list'].credits

export const PAGE_SIZE = maxItems

export const tradeCredits = (limit: number) => base + perItem * limit
const FULL_PAGE = tradeCredits(PAGE_SIZE)

/** What is kept across restarts. */
export interface TradeCostState {
  /** Credits below those of a full page at each interval. */
  readonly saved: number
  /** Trades per millisecond; null while unknown. */
  readonly rate: number | null
  /** When the request of the current interval was sent, by the clock of the feed; -Infinity before the first. Unix milliseconds in a store. */
  readonly intervalStart: number
}

/** The number of new trades a request aims for. After a full page, trades may be missing. */
const TARGET_TRADES = PAGE_SIZE / 2
const MAX_SAVED = 4 * FULL_PAGE
/** Twice as many trades as expected, and a few more, are rarely exceeded. */
const SAFETY_FACTOR = 2
const MIN_LIMIT = 5

export function adaptInterval(everyMs: number, trades: number): number {
  // At most twice as slow or twice as fast, because one page says little.
  return everyMs * Math.min(2, Math.max(0.5, TARGET_TRADES / Math.max(1, trades)))
}

/**
 * Decides how many trades to request. A request for fewer costs less, but if all of them are new it has to be repeated with a full
 * page. That is paid for out of what was saved, so that the total stays within one full page at each interval, and one more.
 */
export class TradeCost {
  state: TradeCostState

  constructor(before: TradeCostState = { saved: FULL_PAGE, rate: null, intervalStart: Number.NEGATIVE_INFINITY }) {
    this.state = before
  }

  /** Whether a request between two intervals is paid for. */
  get coversExtra(): boolean {
    return this.state.saved >= FULL_PAGE
  }

  limitAfter(elapsedMs: number): number {
    const { rate, saved } = this.state
    if (rate === null) return PAGE_SIZE
    const limit = Math.min(PAGE_SIZE, MIN_LIMIT + Math.ceil(SAFETY_FACTOR * rate * elapsedMs))
    return saved >= tradeCredits(limit) ? limit : PAGE_SIZE
  }

  /** Records what a request cost, or may have cost. One that is not extra begins an interval. */
  recordCost(credits: number, sentAt: number, isExtra: boolean): void {
    const { intervalStart, saved } = this.state
    this.state = {
      ...this.state,
      intervalStart: isExtra ? intervalStart : sentAt,
      saved: Math.min(MAX_SAVED, saved + (isExtra ? 0 : FULL_PAGE) - credits),
    }
  }

  recordTrades(count: number, elapsedMs: number): void {
    const current = count / Math.max(1, elapsedMs)
    // Up at once and down slowly, because too few trades cost another request.
    this.state = { ...this.state, rate: Math.max(current, ((this.state.rate ?? current) + current) / 2) }
  }

  recordFirst(trades: readonly Trade[]): void {
    const [newest, oldest] = [trades[0]?.timestamp, trades.at(-1)?.timestamp]
    if (typeof newest !== 'number' || typeof oldest !== 'number') return
    this.state = { ...this.state, rate: trades.length / Math.max(1, (newest - oldest) * 1_000) }
  }
}
