import type { ClientEvent } from 'etn-market'
import { useSyncExternalStore } from 'react'
import { requireKnown } from '../utils/known-options.ts'
import { HOUR_MS } from '../utils/time-units.ts'

/** What a client has spent, as a credit meter shows it. */
export interface CreditMeterState {
  /** Credits charged since the meter was made. */
  readonly charged: number
  /** Credits of lost answers, which may have been charged. */
  readonly uncertain: number
  /** The balance of the key as an answer stated it last; undefined before. */
  readonly remaining: number | undefined
  /**
   * Credits an hour; undefined in the first minute, which says nothing of an hour. With `budgetWindowMs`, the rate of the whole window of the
   * budget; else that of the last `windowMs`, which falls with time while somebody subscribes.
   */
  readonly creditsPerHour: number | undefined
  /** How long the balance lasts at this rate, in days; undefined without a balance or spending, and where credits are renewed. */
  readonly daysLeft: number | undefined
  /**
   * When the credits of the budget are renewed, unix milliseconds: a window after the first purchase, as the windows of a proxy's visitors;
   * undefined without `budgetWindowMs`, and before a purchase. A page that was loaded again knows the latest moment only.
   */
  readonly resetsAt: number | undefined
}

/** Options of `createCreditMeter`. */
export interface CreditMeterOptions {
  /** The time from which the rate is computed, in milliseconds. @default 600_000 */
  windowMs?: number | undefined
  /**
   * Length of the window after which the credits are renewed, in milliseconds, such as `perVisitor.windowMs` of a proxy.
   * @default the credits are not renewed
   */
  budgetWindowMs?: number | undefined
  /** The current time in unix milliseconds, for tests. @default Date.now for moments, and performance.now for what has passed since */
  now?: (() => number) | undefined
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
/** How often in a window the rate is computed while nothing is spent. */
const REFRESHES = 20

/**
 * Makes a meter of what a client spends.
 * @example
 * const meter = createCreditMeter()
 * const client = createClient({ onEvent: meter.onEvent }) // in a component: useCreditMeter(meter)
 * @throws TypeError for an unknown option
 */
export function createCreditMeter(options: CreditMeterOptions = {}): CreditMeter {
  requireKnown('credit meter option', options, ['windowMs', 'budgetWindowMs', 'now'])
  const { windowMs = 600_000, budgetWindowMs } = options
  // A step of the wall clock changes no rate and no window.
  const now = options.now ?? (() => performance.now())
  const wallNow = options.now ?? Date.now
  const listeners = new Set<() => void>()
  const startedAt = now()
  /** What the rate is computed from, oldest first: the window of a budget begins with its first purchase. */
  let spent: { readonly at: number; readonly credits: number }[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
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
    if (budgetWindowMs === undefined) spent = spent.filter((each) => each.at > at - windowMs)
    else if (spent[0] && at >= spent[0].at + budgetWindowMs) spent = []
    if (credits) spent.push({ at, credits })
    const [first] = spent
    const elapsedMs = at - startedAt
    const rate =
      (spent.reduce((sum, each) => sum + each.credits, 0) * HOUR_MS) / (budgetWindowMs ?? Math.min(windowMs, elapsedMs))
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
      resetsAt: first && budgetWindowMs && Math.round(wallNow() + first.at + budgetWindowMs - at),
    }
    for (const listener of [...listeners]) listener()
    setTimer()
  }

  function setTimer(): void {
    clearTimeout(timer)
    if (listeners.size && spent.length) timer = setTimeout(change, windowMs / REFRESHES, 0, 0)
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

/**
 * The state of a credit meter, up to date while the component is mounted.
 * @example const { charged, daysLeft } = useCreditMeter(meter)
 */
export function useCreditMeter({ subscribe, getSnapshot }: CreditMeter): CreditMeterState {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
}
