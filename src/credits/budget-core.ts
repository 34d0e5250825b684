import { BudgetExceededError } from '../errors/budget.ts'
import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import type { BudgetTotals, MemoryReservation, Reconciliation, ReservationDetails } from './budget-types.ts'
import type { KeyBalance } from './reconcile.ts'
import type { BudgetWindow, Windows } from './windows.ts'

/** Node prints what this returns instead of the names of the getters. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** What every kind of budget is built on. */
export interface BudgetCore {
  readonly limit: number
  readonly windows: Pick<Windows, 'current' | 'msLeft'>
  /** Where nobody else uses the key. */
  readonly keyBalance: KeyBalance | undefined
  /** Is called after a reservation is made, moved or decided. */
  onChange(): void
  /** The wall clock, for `resetsAt`. */
  now(): number
}

/** The public totals of a budget, together with its methods. */
export function withTotals<Methods extends object>(core: BudgetCore, methods: Methods): BudgetTotals & Methods {
  const { limit, windows } = core
  const budget = {
    limit,
    get spent() {
      return windows.current().spent
    },
    get reserved() {
      return windows.current().reserved
    },
    get uncertain() {
      return windows.current().uncertain
    },
    get available() {
      return availableIn(core, windows.current())
    },
    get resetsAt() {
      return resetsAt(core)
    },
    ...methods,
  }
  return Object.defineProperty(budget, INSPECT, { value: () => ({ ...budget }) })
}

/** Throws unless `credits` fit into the current window. */
export function checkFits(core: BudgetCore, credits: number, details: ReservationDetails | undefined): BudgetWindow {
  if (!isCredits(credits)) throw invalidOption('credits', credits, 'a whole number of credits, 0 or more')
  const window = core.windows.current()
  if (credits > availableIn(core, window)) throw exceeded(core, credits, details)
  return window
}

/**
 * A reservation counts in the window in which it was made, and from `confirm` on in the one in which it is sent.
 * A class, because one is made for each request and closures would be made anew for each.
 */
export class HeldCredits implements MemoryReservation {
  readonly credits: number
  readonly #core: BudgetCore
  /** Undefined when the reservation is decided. */
  #window: BudgetWindow | undefined
  /** Undefined until the request is about to be sent. */
  #sent: number | undefined

  constructor(core: BudgetCore, credits: number, details: ReservationDetails | undefined) {
    const window = checkFits(core, credits, details)
    this.credits = credits
    this.#core = core
    this.#window = window
    window.reserved += credits
    core.onChange()
  }

  confirm(details?: ReservationDetails): void {
    const core = this.#core
    if (this.#window === undefined) throw alreadyDecided(details)
    const current = core.windows.current()
    if (current !== this.#window) {
      if (this.credits > availableIn(core, current)) {
        this.release()
        throw exceeded(core, this.credits, details)
      }
      this.#window.reserved -= this.credits
      current.reserved += this.credits
      this.#window = current
      core.onChange()
    }
    this.#sent = core.keyBalance?.recordSent(this.#sent)
  }

  settle(charged: number, observed?: { readonly remaining?: number | undefined }): Reconciliation | undefined {
    if (!isCredits(charged)) throw invalidOption('charge', charged, 'a whole number of credits, 0 or more')
    return this.#decide(charged, 0, observed?.remaining)
  }

  release(): void {
    this.#decide(0, 0)
  }

  markUncertain(): void {
    this.#decide(0, this.credits)
  }

  #decide(charged: number, uncertain: number, remaining?: number): Reconciliation | undefined {
    const window = this.#window
    if (window === undefined) return undefined
    this.#window = undefined
    window.reserved -= this.credits
    window.spent += charged
    window.uncertain += uncertain
    const { keyBalance } = this.#core
    const balance = isCredits(remaining) ? remaining : undefined
    const reconciliation = keyBalance?.recordEnd(this.#sent, { window, charged, uncertain, remaining: balance })
    this.#core.onChange()
    return reconciliation
  }
}

export function isCredits(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function availableIn({ limit }: BudgetCore, { spent, reserved, uncertain }: BudgetWindow): number {
  return Math.max(0, limit - spent - reserved - uncertain)
}

function resetsAt({ windows, now }: BudgetCore): number | undefined {
  const left = windows.msLeft()
  return left === Number.POSITIVE_INFINITY ? undefined : Math.ceil(now() + left)
}

function exceeded(core: BudgetCore, needed: number, details: ReservationDetails | undefined): BudgetExceededError {
  const available = availableIn(core, core.windows.current())
  const subject = details?.operation ? `${details.operation}: the` : 'The'
  const sent = details?.attempts ? 'No further request was sent.' : 'Nothing was sent.'
  const end = resetsAt(core)
  const advice = end === undefined ? 'Allow more credits.' : 'Wait for the next window or allow more credits.'
  return new BudgetExceededError(
    `${subject} budget has ${available} of ${core.limit} credits left, but up to ${needed} are needed. ${sent} ${advice}`,
    { ...details, needed, available, resetsAt: end },
  )
}

function alreadyDecided(details: ReservationDetails | undefined): InvalidRequestError {
  const message = 'The reservation is already settled or released: reserve again before you send a request.'
  return new InvalidRequestError(message, { ...details, code: 'reservation_decided' })
}
