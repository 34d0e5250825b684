import { AgeClock, type Clock, isSystemClock } from '../concurrency/clock.ts'

/** The time of a feed: `now()` counts ages, so that prices and due times are right whatever happens to the wall clock. */
export class FeedClock extends AgeClock<Clock> implements Clock {
  /** The same function where timers of the runtime serve the clock. */
  readonly sleep: Clock['sleep'] = isSystemClock(this.wall)
    ? this.wall.sleep
    : (ms, signal) => this.wall.sleep(ms, signal)
  readonly random: Clock['random'] = () => this.wall.random()
}
