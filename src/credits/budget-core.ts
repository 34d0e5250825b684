import { type BudgetExceededError, budgetExceeded } from '../errors/budget.ts'
import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import type { BudgetTotals, MemoryReservation, Reconciliation, ReservationDetails } from './budget-types.ts'
import type { KeyBalances, SentRequest } from './reconcile.ts'
import { addCredits, type Windows, type WindowTotals } from './windows.ts'

/** Node prints what this returns instead of the names of the getters; `JSON.stringify` uses `toJSON`. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** What every kind of budget is built on. */
export interface BudgetCore {
  readonly limit: number
  /** Proxies have windows of their own, of totals only. */
  readonly windows: Pick<Windows<WindowTotals>, 'current' | 'totals' | 'msLeft'>
  /** Where nobody else uses the keys. */
  readonly keyBalances: KeyBalances | undefined
  /** Is called after a reservation is made, moved or decided. */
  onChange(): void
  /** The wall clock, for `resetsAt`. */
  now(): number
}

/**
 * The public totals of a budget, together with its methods.
 * @param requireKnown throws while the totals are not known
 */
export function withTotals<Methods extends object>(
  core: BudgetCore,
  methods: Methods,
  requireKnown = () => {},
): BudgetTotals & Methods {
  const { limit, windows } = core
  const read = (name: keyof WindowTotals) => {
    requireKnown()
    return windows.totals()[name]
  }
  const budget = {
    limit,
    get spent() {
      return read('spent')
    },
    get reserved() {
      return read('reserved')
    },
    get uncertain() {
      const uncertain = read('uncertain')
      return core.keyBalances ? uncertainWithin(limit, windows.totals()) : uncertain
    },
    get available() {
      requireKnown()
      return creditsLeft(limit, windows.totals())
    },
    get resetsAt() {
      return resetsAt(core)
    },
    ...methods,
  }
  const value = () => printed(budget)
  return Object.defineProperties(budget, { [INSPECT]: { value }, toJSON: { value } })
}

/** Of a budget whose totals are not known yet, the limit: printing it throws nothing. */
function printed<B extends BudgetTotals>(budget: B): object {
  try {
    return { ...budget }
  } catch {
    const { limit, resetsAt } = budget
    return { limit, resetsAt }
  }
}

/** Throws unless `credits` fit into the current window. */
export function checkFits(core: BudgetCore, credits: number, details: ReservationDetails | undefined): WindowTotals {
  if (!isCredits(credits)) throw invalidOption('credits', credits, 'a whole number of credits, 0 or more')
  if (!fits(core.limit, core.windows.totals(), credits)) throw exceeded(core, credits, details)
  return core.windows.current()
}

/**
 * A reservation counts in the window in which it was made, and from `confirm` on in the one in which it is sent.
 * A class, because one is made for each request and closures would be made anew for each.
 */
export class HeldCredits implements MemoryReservation {
  readonly credits: number
  readonly #core: BudgetCore
  /** Undefined when the reservation is decided. */
  #window: WindowTotals | undefined
  /** Undefined until the request is about to be sent. */
  #sent: SentRequest | undefined

  constructor(core: BudgetCore, credits: number, details: ReservationDetails | undefined) {
    const window = checkFits(core, credits, details)
    this.credits = credits
    this.#core = core
    this.#window = window
    window.reserved += credits
    core.onChange()
  }

  confirm(details?: ReservationDetails, key = ''): void {
    const { limit, windows, keyBalances, onChange } = this.#core
    const before = this.#window
    if (before === undefined) throw alreadyDecided(details)
    const current = windows.current()
    if (current !== before) {
      before.reserved -= this.credits
      if (!fits(limit, windows.totals(), this.credits)) {
        before.reserved += this.credits
        this.release()
        throw exceeded(this.#core, this.credits, details)
      }
      current.reserved += this.credits
      this.#window = current
      onChange()
    }
    this.#sent = keyBalances?.recordSent(key, this.#sent, this.credits === 0)
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
    window.spent = addCredits(window.spent, charged)
    window.uncertain = addCredits(window.uncertain, uncertain)
    const { keyBalances } = this.#core
    const balance = isCredits(remaining) ? remaining : undefined
    const reconciliation = keyBalances?.recordEnd(this.#sent, { window, charged, uncertain, remaining: balance })
    this.#core.onChange()
    return reconciliation
  }
}

export function isCredits(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** What is left of a limit. */
export function creditsLeft(limit: number, { spent, reserved, uncertain }: WindowTotals): number {
  return Math.max(0, limit - spent - reserved - uncertain)
}

/**
 * What is uncertain, within what a limit leaves. What a balance has shown as charged counts beside young losses, which may be the same charges;
 * nothing beyond the limit was sent.
 */
export function uncertainWithin(limit: number, { spent, reserved, uncertain }: WindowTotals): number {
  return Math.min(uncertain, Math.max(0, limit - spent - reserved))
}

/** Whether credits fit beside what counts. Every kind of budget asks here; those in Redis have the same rule in `windows.lua.ts`. */
export function fits(limit: number, totals: WindowTotals, credits: number): boolean {
  return credits <= creditsLeft(limit, totals)
}

function resetsAt({ windows, now }: BudgetCore): number | undefined {
  const left = windows.msLeft()
  return left === Number.POSITIVE_INFINITY ? undefined : Math.ceil(now() + left)
}

function exceeded(core: BudgetCore, needed: number, details: ReservationDetails | undefined): BudgetExceededError {
  const available = creditsLeft(core.limit, core.windows.totals())
  return budgetExceeded({ of: 'budget', limit: core.limit, needed, available, resetsAt: resetsAt(core) }, details)
}

function alreadyDecided(details: ReservationDetails | undefined): InvalidRequestError {
  const message = 'The reservation is already settled or released: reserve again before you send a request.'
  return new InvalidRequestError(message, { ...details, code: 'reservation_decided' })
}
