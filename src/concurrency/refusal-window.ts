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
export class RefusalWindow {
  readonly #clock: Clock
  #refusals: { readonly at: number; readonly isCertain: boolean }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(isCertain: boolean): void {
    this.#refusals.push({ at: monotonicNow(this.#clock), isCertain })
  }

  /** Certain and possible refusals. */
  count(): number {
    return this.#recent().length
  }

  certain(): number {
    return this.#recent().filter(({ isCertain }) => isCertain).length
  }

  /** Time until there are fewer than `limit`, certain and possible ones together. Milliseconds. */
  msUntilBelow(limit: number): number {
    const counted = this.#recent()
    const last = counted[counted.length - limit]
    return last === undefined ? 0 : Math.max(0, last.at + WINDOW_MS - monotonicNow(this.#clock))
  }

  /** The shortest wait before the next request, however short a wait the service asks for. */
  escalatedWaitMs(): number {
    const beyond = this.certain() - MAX_PLAIN_REFUSALS
    return beyond <= 0 ? 0 : exponentialBackoff(beyond - 1, MIN_ESCALATED_WAIT_MS, MAX_ESCALATED_WAIT_MS)
  }

  #recent() {
    const now = monotonicNow(this.#clock)
    // Either way: a step of the wall clock may leave refusals in the future.
    this.#refusals = this.#refusals.filter(({ at }) => Math.abs(now - at) < WINDOW_MS)
    return this.#refusals
  }
}
