import type { Client, ClientEvent, Clock, StoredBudget } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { anchoredWallClock } from '../../concurrency/clock.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { NamedFile } from '../host.ts'
import { kindOf, type PlanLine } from '../plan-line.ts'
import { MAX_SLEEP_MS, type RunParts } from './repeat.ts'
import type { DayEvent, RunEvent } from './run-events.ts'
import { runCall, runCandles, runPrices, runSweep } from './run-line.ts'
import { loadRunState, type RunStore } from './run-state.ts'

export interface RunPlanOptions {
  readonly lines: readonly PlanLine[]
  readonly creditsPerDay: number
  /** What the plan costs, credits a day. */
  readonly planned: number
  /** Keeps the budget, the prices and what was begun. */
  readonly store: RunStore
  readonly budget: StoredBudget
  readonly clock: Clock
  readonly signal: AbortSignal
  file(name: string): NamedFile
  /** The client spends from the budget, and calls `onEvent`. */
  client(onEvent: (event: ClientEvent) => void): Client
  emit(event: RunEvent): void
}

/** The window of the budget may end a little later than the day of the wall clock, which may have been set. */
const MIDNIGHT_MARGIN_MS = 2_000
const RUNNERS = { prices: runPrices, candles: runCandles, sweep: runSweep, call: runCall }

/**
 * Carries out a plan until the signal aborts, within one budget, and resolves when nothing is in flight any more.
 * @throws the client's error if no later call can succeed
 */
export async function runPlan(options: RunPlanOptions): Promise<void> {
  const { lines, creditsPerDay, planned, store, budget, clock, emit, file } = options
  await budget.load()
  const state = await loadRunState({
    store,
    budget,
    lines,
    now: clock.now,
    onDay: (day) => emit(toDayEvent(day, options)),
  })
  emit({ event: 'started', creditsPerDay, planned, spent: budget.spent + budget.uncertain, lines: lines.length })
  // A day that ended while nothing ran is reported now.
  state.note()
  const client = options.client((event) => {
    if (event.type.startsWith('credits.')) state.note()
  })
  const feed = createPriceFeed(client, { store, clock })
  const ending = new AbortController()
  const onAbort = () => ending.abort()
  options.signal.addEventListener('abort', onAbort)
  if (options.signal.aborted) onAbort()
  const wallClock = anchoredWallClock(clock)
  const parts: RunParts = { wallClock, client, feed, budget, clock, state, file, emit, signal: ending.signal }
  /** The report of a day is printed when it is over, also if nothing happens. */
  async function watchDays(): Promise<void> {
    while (!ending.signal.aborted) {
      const toMidnight = DAY_MS - (clock.now() % DAY_MS) + MIDNIGHT_MARGIN_MS
      await clock.sleep(Math.min(toMidnight, MAX_SLEEP_MS), ending.signal).catch(() => {})
      state.note()
    }
  }
  const work = [...lines.map((line) => RUNNERS[kindOf(line)](line, parts)), watchDays()]
  try {
    // The first that fails ends the others.
    await Promise.all(work)
  } finally {
    onAbort()
    await Promise.allSettled(work)
    options.signal.removeEventListener('abort', onAbort)
    await feed.close()
    state.note()
    const { spent, uncertain } = budget
    emit({ event: 'stopped', spent, uncertain, creditsPerDay })
  }
}

function toDayEvent(
  day: Pick<DayEvent, 'date' | 'spent' | 'uncertain' | 'lines'>,
  { creditsPerDay, planned }: RunPlanOptions,
): DayEvent {
  const { date, spent, uncertain, lines } = day
  return { event: 'day', date, spent, uncertain, creditsPerDay, planned, lines }
}
