import type { Trade } from '../generated/types.ts'
import { lastIndexWhere } from '../utils/runtime.ts'
import { PAGE_SIZE } from './cost.ts'

export interface TradePage {
  /** Newest first. */
  readonly trades: readonly Trade[]
  /** Whether there are no older trades. */
  readonly isComplete: boolean
}

/** A time range in which trades were missed, unix seconds where they are known. */
export interface TradeGap {
  readonly from: number | undefined
  readonly to: number | undefined
}

/** What a page adds to the pages before it. */
export interface NewTrades {
  /** Newest last. */
  readonly fresh: Trade[]
  readonly gap: TradeGap | undefined
}

/** Adds a page to the newest trades. `fresh` are those of its trades that are new; without `older`, it replaces them. */
export function mergePage(page: TradePage, fresh: readonly Trade[], older: TradePage | undefined): TradePage {
  const trades = older ? [...[...fresh].reverse(), ...older.trades] : page.trades
  const isComplete = trades.length <= PAGE_SIZE && (page.isComplete || older?.isComplete === true)
  return { trades: trades.slice(0, PAGE_SIZE), isComplete }
}

/** Number of trades that are remembered: four pages, because an answer may be older than the one before it. */
const MAX_KNOWN = 100

export class TradeDedupe {
  #known: ReadonlySet<string>
  /** Those of them that no gap precedes. */
  #sinceGap: ReadonlySet<string>
  #newest: Trade | undefined
  #hasPage: boolean

  /** @param seen what was seen before, newest first; undefined if nothing was, so that nothing can be missing */
  constructor(seen?: readonly Trade[]) {
    this.#known = new Set(keysOf(seen ?? []))
    this.#sinceGap = this.#known
    this.#newest = seen?.[0]
    this.#hasPage = seen !== undefined
  }

  compare({ trades, isComplete }: TradePage, keys = keysOf(trades)): NewTrades {
    const oldestKnown = lastIndexWhere(keys, (key) => this.#sinceGap.has(key))
    const isOlderThanGap = oldestKnown === -1 && keys.some((key) => this.#known.has(key))
    // What is older than a known trade was seen before, precedes the first page, or was reported as missed: it would come too late.
    const fresh = trades
      .slice(0, oldestKnown === -1 ? trades.length : oldestKnown)
      .filter((_, index) => !isOlderThanGap && !this.#known.has(keys[index] ?? ''))
      .reverse()
    const isGap = this.#hasPage && fresh.length > 0 && oldestKnown === -1 && !isComplete
    const gap = isGap ? { from: this.#newest?.timestamp ?? undefined, to: fresh[0]?.timestamp ?? undefined } : undefined
    return { fresh, gap }
  }

  add(page: TradePage): NewTrades {
    const keys = keysOf(page.trades)
    const added = this.compare(page, keys)
    this.#known = new Set([...keys, ...this.#known].slice(0, MAX_KNOWN))
    if (added.fresh.length > 0) {
      this.#newest = page.trades[0]
      this.#sinceGap = new Set(added.gap ? keys : [...keys, ...this.#sinceGap].slice(0, MAX_KNOWN))
    }
    this.#hasPage = true
    return added
  }
}

/**
 * No field of a trade is always present, and one transaction may hold several identical trades. The key is the whole trade and
 * its number among identical ones.
 */
function keysOf(trades: readonly Trade[]): string[] {
  const counts = new Map<string, number>()
  // Counted from the oldest, so that a new trade does not change the keys of older ones.
  const keys = [...trades].reverse().map((trade) => {
    const text = JSON.stringify(trade)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return `${count} ${text}`
  })
  return keys.reverse()
}
