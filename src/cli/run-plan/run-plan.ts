import type { BudgetStore, Client, Clock, StoredBudget } from 'etn-market'
import { createPriceFeed, type PriceFeed } from 'etn-market/feed'
import { type ClientInternals, internalsOf } from '../../client/client-internals.ts'
import { AgeClock } from '../../concurrency/clock.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { NamedFile } from '../files.ts'
import type { PlanLine } from '../plan-line.ts'
import { runCall, runCandles, runPrices, runSweep } from './line-work.ts'
import type { RunEvent } from './run-events.ts'
import { RunState } from './run-state.ts'
import { abortWith, MAX_SLEEP_MS, RunningLine } from './running-line.ts'

export interface RunPlanOptions {
  readonly lines: readonly PlanLine[]
  readonly creditsPerDay: number
  readonly planned: number
  /** Keeps the budget, the prices and what was begun. */
  readonly store: Required<BudgetStore>
  readonly budget: StoredBudget
  readonly clock: Clock
  readonly signal: AbortSignal
  file(name: string): NamedFile
  /** It spends from the budget. */
  readonly client: Client
  emit(event: RunEvent): void
}

export interface PlanRun extends Pick<RunPlanOptions, 'client' | 'clock' | 'file' | 'emit'> {
  readonly internals: ClientInternals
  readonly feed: PriceFeed
  readonly state: RunState
  /** The time of the budget, too. */
  readonly ages: AgeClock
  /** Aborted when the run is to end. What is in flight then is waited for. */
  readonly signal: AbortSignal
}

/** The window of the budget may end a little later than the day of the wall clock, which may have been set. */
const MIDNIGHT_MARGIN_MS = 2_000
const RUNNERS = { prices: runPrices, candles: runCandles, sweep: runSweep, call: runCall }

/** Carries out a plan until the signal aborts. @throws the client's error if no later call can succeed */
export async function runPlan(options: RunPlanOptions): Promise<void> {
  const { lines, creditsPerDay, planned, store, budget, clock, client, emit, file } = options
  await budget.load()
  const state = await RunState.load(options)
  emit({ event: 'started', creditsPerDay, planned, spent: budget.spent + budget.uncertain, lines: lines.length })
  // A day that ended while nothing ran is reported now.
  state.note()
  const feed = createPriceFeed(client, { store, clock })
  using ending = abortWith(options.signal)
  const { signal } = ending
  const internals = internalsOf(client) as ClientInternals
  const run: PlanRun = { ages: new AgeClock(clock), client, internals, feed, clock, state, file, emit, signal }
  /** The report of a day is printed when it is over, also if nothing happens. */
  async function watchDays(): Promise<void> {
    while (!signal.aborted) {
      const toMidnight = DAY_MS - (clock.now() % DAY_MS) + MIDNIGHT_MARGIN_MS
      await clock.sleep(Math.min(toMidnight, MAX_SLEEP_MS), signal).catch(() => {})
      state.note()
    }
  }
  const work = [...lines.map((line) => RUNNERS[line.kind](new RunningLine(line, run))), watchDays()]
  try {
    // The first that fails ends the others.
    await Promise.all(work)
  } finally {
    ending.abort()
    await Promise.allSettled(work)
    await feed.close()
    state.note()
    const { spent, uncertain } = budget
    emit({ event: 'stopped', spent, uncertain, creditsPerDay })
  }
}
