import { type Clock, monotonicNow } from '../concurrency/clock.ts'

/**
 * The time of a feed. `now()` is monotonic, so that ages, due times and waits are right whatever happens to the wall clock; its beginning
 * is any moment. The wall clock names moments: those that users see, and those in a store.
 */
export interface FeedClock extends Clock {
  /** The clock that the feed was given. */
  readonly wall: Clock
  /** The moment of a time of this clock, unix milliseconds. */
  toUnix(at: number): number
  /** The time of a moment, given in unix milliseconds. */
  fromUnix(unixMs: number): number
}

export function createFeedClock(wall: Clock): FeedClock {
  // Whole milliseconds, like those of the wall clock.
  const now = () => Math.floor(monotonicNow(wall))
  const offset = () => wall.now() - now()
  return {
    wall,
    now,
    monotonic: now,
    sleep: (ms, signal) => wall.sleep(ms, signal),
    random: () => wall.random(),
    toUnix: (at) => at + offset(),
    fromUnix: (unixMs) => unixMs - offset(),
  }
}
