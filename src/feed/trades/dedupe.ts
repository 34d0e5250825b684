import type { Trade } from '../../generated/types.ts'
import { PAGE_SIZE } from './cost.ts'

/** The newest trades of a token. */
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

/** Remembers which trades were seen. */
export interface TradeDedupe {
  /** Compares a page with what was seen. */
  compare(page: TradePage): NewTrades
  /** Compares a page, and remembers it. */
  add(page: TradePage): NewTrades
}

/** Adds a page to the newest trades. `fresh` are those of its trades that are new; without `older`, it replaces them. */
export function mergePage(page: TradePage, fresh: readonly Trade[], older: TradePage | undefined): TradePage {
  const trades = older ? [...fresh.toReversed(), ...older.trades] : page.trades
  const isComplete = trades.length <= PAGE_SIZE && (page.isComplete || older?.isComplete === true)
  return { trades: trades.slice(0, PAGE_SIZE), isComplete }
}

/** Number of trades that are remembered: four pages, because an answer may be older than the one before it. */
const MAX_KNOWN = 100

/** @param seen what was seen before, newest first; undefined if nothing was, so that nothing can be missing */
export function createTradeDedupe(seen?: readonly Trade[]): TradeDedupe {
  let known = new Set(keysOf(seen ?? []))
  /** Those of them that no gap precedes. */
  let sinceGap = known
  let newest = seen?.[0]
  let hasPage = seen !== undefined

  function compare({ trades, isComplete }: TradePage, keys = keysOf(trades)): NewTrades {
    const oldestKnown = keys.findLastIndex((key) => sinceGap.has(key))
    const isOlderThanGap = oldestKnown === -1 && keys.some((key) => known.has(key))
    // What is older than a known trade was seen before, precedes the first page, or was reported as missed: it would come too late.
    const fresh = trades
      .slice(0, oldestKnown === -1 ? trades.length : oldestKnown)
      .filter((_, index) => !isOlderThanGap && !known.has(keys[index] ?? ''))
      .reverse()
    const isGap = hasPage && fresh.length > 0 && oldestKnown === -1 && !isComplete
    const gap = isGap ? { from: newest?.timestamp ?? undefined, to: fresh[0]?.timestamp ?? undefined } : undefined
    return { fresh, gap }
  }

  return {
    compare: (page) => compare(page),
    add(page) {
      const keys = keysOf(page.trades)
      const added = compare(page, keys)
      known = new Set([...keys, ...known].slice(0, MAX_KNOWN))
      if (added.fresh.length > 0) {
        newest = page.trades[0]
        sinceGap = new Set(added.gap ? keys : [...keys, ...sinceGap].slice(0, MAX_KNOWN))
      }
      hasPage = true
      return added
    },
  }
}

/**
 * No field of a trade is always present, and one transaction may hold several identical trades. The key is the whole trade and
 * its number among identical ones.
 */
function keysOf(trades: readonly Trade[]): string[] {
  const counts = new Map<string, number>()
  // Counted from the oldest, so that a new trade does not change the keys of older ones.
  const keys = trades.toReversed().map((trade) => {
    const text = JSON.stringify(trade)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return `${count} ${text}`
  })
  return keys.reverse()
}
