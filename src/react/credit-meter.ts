import type { ClientEvent } from 'etn-market'
import { useSyncExternalStore } from 'react'

/** What a client has spent, as a credit meter shows it. */
export interface CreditMeterState {
  /** Credits charged since the meter was made. */
  readonly charged: number
  /** Credits of lost answers, which may have been charged. */
  readonly uncertain: number
  /** The balance of the key as an answer stated it last; undefined before. */
  readonly remaining: number | undefined
  /** Credits an hour at the rate of the last `windowMs`. While somebody subscribes, it falls with time, too. */
  readonly creditsPerHour: number
  /** How long the balance lasts at this rate, in days; undefined without a balance or spending. */
  readonly daysLeft: number | undefined
}

/** Options of `createCreditMeter`. */
export interface CreditMeterOptions {
  /** The time from which the rate is computed, in milliseconds. @default 600_000 */
  windowMs?: number | undefined
  /** The current time in unix milliseconds. @default Date.now */
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

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
/** How often in a window the rate is computed while nothing is spent. */
const REFRESHES = 20

/**
 * Makes a meter of what a client spends.
 * @example
 * const meter = createCreditMeter()
 * const client = createClient({ onEvent: meter.onEvent }) // in a component: useCreditMeter(meter)
 */
export function createCreditMeter({ windowMs = 600_000, now = Date.now }: CreditMeterOptions = {}): CreditMeter {
  const listeners = new Set<() => void>()
  const startedAt = now()
  let recent: { readonly at: number; readonly credits: number }[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let state: CreditMeterState = {
    charged: 0,
    uncertain: 0,
    remaining: undefined,
    creditsPerHour: 0,
    daysLeft: undefined,
  }

  function change(credits: number, uncertain: number, remaining = state.remaining): void {
    const at = now()
    recent = recent.filter((spent) => spent.at > at - windowMs)
    if (credits) recent.push({ at, credits })
    const sum = recent.reduce((total, spent) => total + spent.credits, 0)
    const creditsPerHour = (sum * HOUR_MS) / Math.max(1, Math.min(windowMs, Math.max(at - startedAt, windowMs / 10)))
    const daysLeft =
      remaining === undefined || creditsPerHour === 0 ? undefined : remaining / (creditsPerHour * DAY_HOURS)
    state = {
      charged: state.charged + credits,
      uncertain: state.uncertain + uncertain,
      remaining,
      creditsPerHour,
      daysLeft,
    }
    for (const listener of [...listeners]) listener()
    setTimer()
  }

  function setTimer(): void {
    clearTimeout(timer)
    if (listeners.size && recent.length) timer = setTimeout(change, windowMs / REFRESHES, 0, 0)
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
      if (!listeners.size && recent.length) change(0, 0)
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
