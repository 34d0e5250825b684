import { AgeClock, type Clock } from '../concurrency/clock.ts'

/** The time of a feed: `now()` counts ages, so that prices and due times are right whatever happens to the wall clock. */
export class FeedClock extends AgeClock<Clock> implements Clock {
  readonly sleep: Clock['sleep'] = (ms, signal) => this.wall.sleep(ms, signal)
  readonly random: Clock['random'] = () => this.wall.random()
}
