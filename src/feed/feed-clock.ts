import { type Clock, monotonicNow } from '../concurrency/clock.ts'

/**
 * The time of a feed. `now()` is monotonic, so that ages, due times and waits are right whatever happens to the wall clock; its beginning
 * is any moment. The wall clock names moments: those that users see, and those in a store. Its functions may be taken apart.
 */
export class FeedClock implements Clock {
  readonly wall: Clock

  constructor(wall: Clock) {
    this.wall = wall
  }

  /** Whole milliseconds, like those of the wall clock. */
  readonly now = (): number => Math.floor(monotonicNow(this.wall))
  readonly monotonic = this.now
  readonly sleep: Clock['sleep'] = (ms, signal) => this.wall.sleep(ms, signal)
  readonly random = (): number => this.wall.random()
  /** The moment of a time of this clock, unix milliseconds. */
  readonly toUnix = (at: number): number => at + (this.wall.now() - this.now())
  /** The time of a moment, given in unix milliseconds. */
  readonly fromUnix = (unixMs: number): number => unixMs - (this.wall.now() - this.now())
}
