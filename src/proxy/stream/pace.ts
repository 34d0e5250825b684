import { type Clock, monotonicNow, startTimer } from '../../concurrency/clock.ts'
import { divideFairly } from './fair-share.ts'
import type { FeedInternals } from './feed-access.ts'
import type { PriceSources } from './price-source.ts'
import type { StreamAccounts } from './stream-accounts.ts'
import { isSolvent } from './stream-visitor.ts'

/** How often the prices of each source are bought. */
export interface Pace {
  /** Divides what the feed's budget affords among the visitors. */
  divide(): void
  /** At once, unless there are many sources and it has just been done. */
  divideSoon(): void
  stop(): void
}

export interface PaceParts {
  readonly clock: Clock
  readonly internals: FeedInternals
  readonly sources: PriceSources
  readonly accounts: StreamAccounts
  /** Whether the feed is closed. */
  isClosed(): boolean
  /** Called after each division. */
  onPace(): void
}

/** How often the budget is divided at most while there are many sources: a thousand pages that come at once wait for one division. */
const MIN_WAIT_MS = 1_000
const MANY_SOURCES = 100

export function createPace({ clock, internals, sources, accounts, isClosed, onPace }: PaceParts): Pace {
  let stopTimer: (() => void) | undefined
  let dividedAt = Number.NEGATIVE_INFINITY

  function stop(): void {
    stopTimer?.()
    stopTimer = undefined
  }

  function divide(): void {
    stop()
    if (isClosed()) return
    dividedAt = monotonicNow(clock)
    const demands = sources.list().map((source) => ({
      source,
      addresses: source.addresses,
      everyMs: source.everyMs,
      visitors: accounts.totalBrokeUntil === undefined ? [...source.visitors].filter(isSolvent) : [],
    }))
    const stretches = divideFairly({
      sources: demands.filter(({ visitors: { length } }) => length > 0),
      ownIntervals: internals.ownIntervals(),
      costPerDay: internals.costPerDay,
      affordablePerDay: internals.affordablePerDay(),
    })
    for (const demand of demands)
      demand.source.setPace(stretches.get(demand) ?? demand.source.stretch, stretches.has(demand))
    onPace()
  }

  return {
    divide,
    divideSoon() {
      const waitMs = dividedAt + MIN_WAIT_MS - monotonicNow(clock)
      if (waitMs <= 0 || sources.list().length <= MANY_SOURCES) divide()
      else stopTimer ??= startTimer(clock, waitMs, divide)
    },
    stop,
  }
}
