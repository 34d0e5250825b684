import type { Trade } from '../generated/types.ts'

/** What a page tells beyond the pages before. */
export interface News {
  /** Newest last. */
  readonly fresh: Trade[]
  /** The ends of the time in which something was missed, unix seconds where they are known. */
  readonly gap: { from: number | undefined; to: number | undefined } | undefined
}

/** Remembers which trades were there. */
export interface Seen {
  /** Takes a page, newest first, of at most `size` trades. */
  take(page: readonly Trade[], size: number): News
}

/** Pages whose trades are remembered: one answer may lag behind another. */
const PAGES = 4

export function createSeen(): Seen {
  let known = new Set<string>()
  let newest: Trade | undefined
  let begun = false

  return {
    take(page, size) {
      const keys = keysOf(page)
      const fresh = page.filter((_, index) => !known.has(keys[index] ?? '')).reverse()
      // The first page has nothing before it that could have been missed.
      const missed = begun && fresh.length === size
      const gap = missed ? { from: newest?.timestamp ?? undefined, to: fresh[0]?.timestamp ?? undefined } : undefined
      known = new Set([...keys, ...known].slice(0, PAGES * size))
      newest = page[0] ?? newest
      begun = true
      return { fresh, gap }
    },
  }
}

/** No field of a trade is sure to be there, and one transaction may hold several alike: so all of it counts, and how often it came. */
function keysOf(page: readonly Trade[]): string[] {
  const times = new Map<string, number>()
  // Counted from the oldest, so that a new one does not rename those before it.
  const keys = page.toReversed().map((trade) => {
    const text = JSON.stringify(trade)
    const time = (times.get(text) ?? 0) + 1
    times.set(text, time)
    return `${time} ${text}`
  })
  return keys.reverse()
}
