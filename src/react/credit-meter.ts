import type { ClientEvent } from 'etn-market'
import { useSyncExternalStore } from 'react'
import { AgeClock, type Clock, startTimer, systemClock } from '../concurrency/clock.ts'
import { requireKnown } from '../utils/known-options.ts'
import { DAY_MS, HOUR_MS } from '../utils/time-units.ts'

/** What a client has spent, as a credit meter shows it. */
export interface CreditMeterState {
  /** Credits charged since the meter was made. */
  readonly charged: number
  /** Credits of lost answers, which may have been charged. */
  readonly uncertain: number
  /** The balance of the key as an answer stated it last; undefined before. */
  readonly remaining: number | undefined
  /**
   * Credits an hour; undefined in the first minute, which is too short for a rate. With `budgetWindowMs`, the rate of the whole window of the budget.
   * Otherwise the rate of the last `perMs`, which falls with time while somebody subscribes.
   */
  readonly creditsPerHour: number | undefined
  /** How long the balance lasts at this rate, in days; undefined without a balance or spending, and where credits are renewed. */
  readonly daysLeft: number | undefined
  /**
   * When the credits of the budget are renewed, unix milliseconds: one window after the first purchase, like the windows of a proxy's visitors;
   * undefined without `budgetWindowMs`, and before a purchase. A page that was loaded again knows the latest moment only.
   */
  readonly resetsAt: number | undefined
}

/** Options of `createCreditMeter`. */
export interface CreditMeterOptions {
  /** The period from which the rate is computed, in milliseconds, from a minute to a year. @default 600_000 */
  perMs?: number | undefined
  /**
   * Length of the window after which the credits are renewed, in milliseconds, from a second to a year, such as `perVisitor.windowMs` of a proxy.
   * @default the credits are not renewed
   */
  budgetWindowMs?: number | undefined
  /** @default the system clock */
  clock?: Clock | undefined
}

/** Adds up the credits of a client from its events. */
export interface CreditMeter {
  /** Pass it as `onEvent` to `createClient`, or call it from your own listener. */
  readonly onEvent: (event: ClientEvent) => void
  /** Calls `listener` after each change. Returns a function that stops it. */
  readonly subscribe: (listener: () => void) => () => void
  /** The state, the same object until it changes. */
  readonly getSnapshot: () => CreditMeterState
}

/** A rate needs as much: a first purchase, divided by the seconds before it, would be any rate. */
const MIN_DATA_MS = 60_000
const DAY_HOURS = 24
const YEAR_MS = 366 * DAY_MS
/** How often in a period the rate is computed while nothing is spent. */
const REFRESHES = 20

/**
 * Creates a meter of what a client spends.
 * @example
 * const meter = createCreditMeter()
 * const client = createClient({ onEvent: meter.onEvent }) // in a component: useCreditMeter(meter)
 * @throws TypeError for an unknown option, RangeError for a time that is none
 */
export function createCreditMeter(options: CreditMeterOptions = {}): CreditMeter {
  requireKnown('credit meter option', options, ['perMs', 'budgetWindowMs', 'clock'])
  const { perMs = 600_000, budgetWindowMs, clock = systemClock } = options
  requireTime('perMs', perMs, MIN_DATA_MS)
  if (budgetWindowMs !== undefined) requireTime('budgetWindowMs', budgetWindowMs, 1_000)
  // Counts the sleep of the machine, and no step back of the wall clock.
  const { now, toUnix } = new AgeClock(clock)
  const listeners = new Set<() => void>()
  const startedAt = now()
  /** What the rate is computed from, oldest first: the window of a budget begins with its first purchase. */
  let spent: { readonly at: number; readonly credits: number }[] = []
  let stopTimer = () => {}
  let state: CreditMeterState = {
    charged: 0,
    uncertain: 0,
    remaining: undefined,
    creditsPerHour: undefined,
    daysLeft: undefined,
    resetsAt: undefined,
  }

  function change(credits: number, uncertain: number, remaining = state.remaining): void {
    const at = now()
    if (budgetWindowMs === undefined) spent = spent.filter((each) => each.at > at - perMs)
    else if (spent[0] && at >= spent[0].at + budgetWindowMs) spent = []
    if (credits) spent.push({ at, credits })
    const [first] = spent
    const elapsedMs = at - startedAt
    const rate =
      (spent.reduce((sum, each) => sum + each.credits, 0) * HOUR_MS) / (budgetWindowMs ?? Math.min(perMs, elapsedMs))
    const creditsPerHour = elapsedMs < MIN_DATA_MS ? undefined : rate
    const isLasting = remaining !== undefined && creditsPerHour && budgetWindowMs === undefined
    const daysLeft = isLasting ? remaining / (creditsPerHour * DAY_HOURS) : undefined
    state = {
      charged: state.charged + credits,
      // What was charged while it could still be charged stays uncertain for a while, and is reported twice.
      uncertain: Math.max(0, state.uncertain + uncertain),
      remaining,
      creditsPerHour,
      daysLeft,
      resetsAt: first && budgetWindowMs && toUnix(first.at + budgetWindowMs),
    }
    for (const listener of [...listeners]) listener()
    setTimer()
  }

  function setTimer(): void {
    stopTimer()
    if (listeners.size && spent.length) stopTimer = startTimer(clock, perMs / REFRESHES, () => change(0, 0))
  }

  return {
    onEvent(event) {
      if (event.type === 'credits.charged' || event.type === 'credits.computed')
        change(event.credits, 0, event.remaining)
      else if (event.type === 'credits.uncertain') change(0, event.credits)
      else if (event.type === 'credits.reconciled') change(event.charged, -event.charged - event.freed)
    },
    subscribe(listener) {
      // What nobody has seen may be old.
      if (!listeners.size && spent.length) change(0, 0)
      listeners.add(listener)
      setTimer()
      return () => {
        listeners.delete(listener)
        setTimer()
      }
    },
    getSnapshot: () => state,
  }
}

function requireTime(name: string, ms: number, least: number): void {
  if (!(typeof ms === 'number' && ms >= least && ms <= YEAR_MS))
    throw new RangeError(`Invalid ${name}: ${ms}. It must be milliseconds from ${least} to a year.`)
}

/**
 * The state of a credit meter, up to date while the component is mounted.
 * @example const { charged, daysLeft } = useCreditMeter(meter)
 */
export function useCreditMeter({ subscribe, getSnapshot }: CreditMeter): CreditMeterState {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
}
