import type { RecentRefusals } from '../concurrency/circuit-breaker.ts'
import type { Clock } from '../concurrency/clock.ts'
import { exponentialBackoff } from '../utils/time-units.ts'

/** A minute, and a millisecond more: whether a refusal is a minute old is for the service to know. */
const WINDOW_MS = 60_001
/** Refusals in a minute after which the waits grow. */
export const MAX_PLAIN_REFUSALS = 3
export const MIN_ESCALATED_WAIT_MS = 2_000
export const MAX_ESCALATED_WAIT_MS = 8_000
/** Twenty refusals in a minute lock a key: the refusals of the last minute and the requests in flight never exceed this number. */
export const MAX_KEY_REFUSALS = 15

/** The refusals of the last minute, and the requests whose answer was lost: the service may have refused them too. */
export class RefusalWindow implements RecentRefusals {
  readonly #clock: Clock
  #refusals: { readonly at: number; readonly isCertain: boolean }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(isCertain: boolean): void {
    this.#refusals.push({ at: this.#clock.monotonic(), isCertain })
  }

  count(): number {
    return this.#recent().length
  }

  certain(): number {
    return this.#recent().filter(({ isCertain }) => isCertain).length
  }

  msUntilBelow(limit: number): number {
    const now = this.#clock.monotonic()
    const counted = this.#recent(now)
    const last = counted[counted.length - limit]
    return last === undefined ? 0 : msLeft(last, now)
  }

  escalatedWaitMs(): number {
    const beyond = this.certain() - MAX_PLAIN_REFUSALS
    return beyond <= 0 ? 0 : exponentialBackoff(beyond - 1, MIN_ESCALATED_WAIT_MS, MAX_ESCALATED_WAIT_MS)
  }

  #recent(now = this.#clock.monotonic()) {
    this.#refusals = this.#refusals.filter((refusal) => msLeft(refusal, now) > 0)
    return this.#refusals
  }
}

/** How long it counts. One formula for all who ask, because another one may be rounded otherwise. */
const msLeft = ({ at }: { readonly at: number }, now: number) => WINDOW_MS - (now - at)
