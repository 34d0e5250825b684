import type { Trade } from '../../generated/types.ts'

/** What a page adds to the pages before it. */
export interface NewTrades {
  /** Newest last. */
  readonly fresh: Trade[]
  /** The time range in which trades were missed, unix seconds where they are known. */
  readonly gap: { from: number | undefined; to: number | undefined } | undefined
}

/** Remembers which trades were returned before. */
export interface TradeDedupe {
  /** Adds a page, newest first, of at most `size` trades. */
  add(page: readonly Trade[], size: number): NewTrades
}

/** Number of pages that are remembered, because an answer may be older than the one before it. */
const MAX_PAGES = 4

export function createTradeDedupe(): TradeDedupe {
  let known = new Set<string>()
  let newest: Trade | undefined
  let hasPage = false

  return {
    add(page, size) {
      const keys = keysOf(page)
      const fresh = page.filter((_, index) => !known.has(keys[index] ?? '')).reverse()
      // Nothing can be missing before the first page.
      const isGap = hasPage && fresh.length === size
      const gap = isGap ? { from: newest?.timestamp ?? undefined, to: fresh[0]?.timestamp ?? undefined } : undefined
      known = new Set([...keys, ...known].slice(0, MAX_PAGES * size))
      newest = page[0] ?? newest
      hasPage = true
      return { fresh, gap }
    },
  }
}

/**
 * No field of a trade is always present, and one transaction may hold several identical trades. The key is the whole trade and
 * its number among identical ones.
 */
function keysOf(page: readonly Trade[]): string[] {
  const counts = new Map<string, number>()
  // Counted from the oldest, so that a new trade does not change the keys of older ones.
  const keys = page.toReversed().map((trade) => {
    const text = JSON.stringify(trade)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return `${count} ${text}`
  })
  return keys.reverse()
}
