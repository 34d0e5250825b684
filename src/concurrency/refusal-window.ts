import { exponentialBackoff } from '../utils/time-units.ts'
import { type Clock, monotonicNow } from './clock.ts'

const WINDOW_MS = 60_000
/** Refusals in a minute after which the waits grow. */
export const MAX_PLAIN_REFUSALS = 3
export const MIN_ESCALATED_WAIT_MS = 2_000
export const MAX_ESCALATED_WAIT_MS = 8_000
/** Twenty refusals in a minute lock a key: the refusals of the last minute and the requests in flight never exceed this number. */
export const MAX_KEY_REFUSALS = 15

/** The refusals of the last minute, and the requests whose answer was lost: the service may have refused them too. */
export interface RefusalWindow {
  add(isCertain: boolean): void
  /** Certain and possible refusals. */
  count(): number
  certain(): number
  /** Time until there are fewer than `limit`, certain and possible ones together. Milliseconds. */
  msUntilBelow(limit: number): number
  /** The shortest wait before the next request, however short a wait the service asks for. */
  escalatedWaitMs(): number
}

export function createRefusalWindow(clock: Clock): RefusalWindow {
  let refusals: { readonly at: number; readonly isCertain: boolean }[] = []

  function recent() {
    const now = monotonicNow(clock)
    // The condition on the future drops what a step of the wall clock left behind.
    if (refusals.some(({ at }) => isOver(at, now))) refusals = refusals.filter(({ at }) => !isOver(at, now))
    return refusals
  }
  const certain = () => recent().filter(({ isCertain }) => isCertain).length
  const isOver = (at: number, now: number) => now - at >= WINDOW_MS || at - now > WINDOW_MS

  return {
    add: (isCertain) => void refusals.push({ at: monotonicNow(clock), isCertain }),
    count: () => recent().length,
    certain,
    msUntilBelow(limit) {
      const counted = recent()
      const last = counted[counted.length - limit]
      return last === undefined ? 0 : Math.max(0, last.at + WINDOW_MS - monotonicNow(clock))
    },
    escalatedWaitMs() {
      const beyond = certain() - MAX_PLAIN_REFUSALS
      return beyond <= 0 ? 0 : exponentialBackoff(beyond - 1, MIN_ESCALATED_WAIT_MS, MAX_ESCALATED_WAIT_MS)
    },
  }
}
