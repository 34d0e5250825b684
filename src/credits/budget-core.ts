import { budgetExceeded } from '../errors/budget.ts'
import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import type { BudgetTotals, MemoryBudget, MemoryReservation, Reconciliation, ReservationDetails } from './budget.ts'
import type { KeyBalances, SentRequest } from './reconcile.ts'
import { addCredits, type WindowTotals } from './windows.ts'

/** A limit, and what counts in it now. */
export interface Counted {
  readonly limit: number
  /** False while the totals are not known: to ask for them throws. */
  readonly isLoaded?: boolean
  totals(): WindowTotals
  resetsAt(): number | undefined
}

export interface BudgetSettings {
  readonly limit: number
  /** Proxies have windows of their own, of totals only. */
  readonly windows: { current(): WindowTotals & { readonly end?: number }; totals(): WindowTotals; msLeft(): number }
  /** Where nobody else uses the keys. */
  readonly keyBalances: KeyBalances | undefined
  /** The wall clock, for `resetsAt`. */
  now(): number
}

/** Counts the reservations of a budget in this process. */
export class BudgetCore implements Counted {
  readonly limit: number
  readonly settings: BudgetSettings
  /** Reservations that are not decided. */
  held = 0

  constructor(settings: BudgetSettings) {
    this.limit = settings.limit
    this.settings = settings
  }

  totals(): WindowTotals {
    const totals = this.settings.windows.totals()
    return this.settings.keyBalances ? capUncertain(this.limit, totals) : totals
  }

  resetsAt(): number | undefined {
    const { windows, now } = this.settings
    const left = windows.msLeft()
    if (left === Number.POSITIVE_INFINITY) return undefined
    const at = now() + left
    const { end = at } = windows.current()
    // The wall clock has whole milliseconds, the elapsed time parts of them: their sum may miss a midnight by less than one.
    return Math.abs(at - end) < 1 ? end : Math.ceil(at)
  }

  /** @throws BudgetExceededError unless `credits` fit into the window of now */
  check(credits: number, details: ReservationDetails | undefined): void {
    requireCredits('credits', credits)
    if (!fits(this.limit, this.settings.windows.totals(), credits)) throw this.exceeded(credits, details)
  }

  exceeded(needed: number, details: ReservationDetails | undefined): Error {
    const available = creditsLeft(this.limit, this.settings.windows.totals())
    const { limit } = this
    return budgetExceeded({ of: 'budget', limit, needed, available, resetsAt: this.resetsAt() }, details)
  }

  /** Is called after a reservation is made, moved or decided. */
  onChange(): void {}
}

/** A budget that ends with the process. */
export function createMemoryBudget(settings: BudgetSettings): MemoryBudget {
  const core = new BudgetCore(settings)
  return withTotals<Pick<MemoryBudget, 'check' | 'reserve'>>(core, {
    check: (credits, details) => core.check(credits, details),
    reserve: (credits, details) => new HeldCredits(core, credits, details),
  })
}

/** Node prints what this returns instead of the names of the getters; `JSON.stringify` uses `toJSON`. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** The public totals of a budget, together with its methods. Printing it throws nothing: while its totals are not known, it has a limit alone. */
export function withTotals<Methods extends object>(counted: Counted, methods: Methods): BudgetTotals & Methods {
  const budget = {
    get limit() {
      return counted.limit
    },
    get spent() {
      return counted.totals().spent
    },
    get reserved() {
      return counted.totals().reserved
    },
    get uncertain() {
      return counted.totals().uncertain
    },
    get available() {
      return creditsLeft(counted.limit, counted.totals())
    },
    get resetsAt() {
      return counted.resetsAt()
    },
    ...methods,
  }
  const get = () => counted.isLoaded
  const value = () => (get() === false ? { limit: budget.limit, resetsAt: budget.resetsAt } : { ...budget })
  return Object.defineProperties(budget, { [INSPECT]: { value }, toJSON: { value }, isLoaded: { get } })
}

/**
 * A reservation counts in the window in which it was made, and from `confirm` on in the one in which it is sent.
 * A class, because one is made for each request and closures would be made anew for each.
 */
export class HeldCredits<Core extends BudgetCore = BudgetCore> implements MemoryReservation {
  readonly credits: number
  protected readonly core: Core
  /** Undefined when the reservation is decided. */
  #window: WindowTotals | undefined
  /** Undefined until the request is about to be sent. */
  #sent: SentRequest | undefined

  constructor(core: Core, credits: number, details: ReservationDetails | undefined) {
    core.check(credits, details)
    const window = core.settings.windows.current()
    this.credits = credits
    this.core = core
    this.#window = window
    window.reserved += credits
    core.held++
    core.onChange()
  }

  confirm(details?: ReservationDetails, key = ''): void {
    const { core } = this
    const before = this.#window
    if (before === undefined) throw alreadyDecided(details)
    const current = core.settings.windows.current()
    if (current !== before) {
      before.reserved -= this.credits
      if (!fits(core.limit, core.settings.windows.totals(), this.credits)) {
        before.reserved += this.credits
        this.release()
        throw core.exceeded(this.credits, details)
      }
      current.reserved += this.credits
      this.#window = current
      core.onChange()
    }
    this.#sent = core.settings.keyBalances?.recordSent(key, this.#sent, this.credits === 0)
  }

  settle(charged: number, observed?: { readonly remaining?: number | undefined }): Reconciliation | undefined {
    requireCredits('charge', charged)
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
    this.core.held--
    window.reserved -= this.credits
    window.spent = addCredits(window.spent, charged)
    window.uncertain = addCredits(window.uncertain, uncertain)
    const { keyBalances } = this.core.settings
    const balance = isCredits(remaining) ? remaining : undefined
    const isFree = this.credits === 0
    const ended = { isFree, window, charged, uncertain, remaining: balance }
    const reconciliation = keyBalances?.recordEnd(this.#sent, ended)
    this.core.onChange()
    return reconciliation
  }
}

export function isCredits(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

export function requireCredits(name: string, value: unknown): void {
  if (!isCredits(value)) throw invalidOption(name, value, 'a whole number of credits, 0 or more')
}

export function creditsLeft(limit: number, { spent, reserved, uncertain }: WindowTotals): number {
  return Math.max(0, limit - spent - reserved - uncertain)
}

/**
 * The totals with what is uncertain within what a limit leaves. What a balance has shown as charged counts beside young losses, which may be
 * the same charges; nothing beyond the limit was sent.
 */
export function capUncertain(limit: number, { spent, reserved, uncertain }: WindowTotals): WindowTotals {
  return { spent, reserved, uncertain: Math.min(uncertain, Math.max(0, limit - spent - reserved)) }
}

/** Whether credits fit beside what counts. Every kind of budget asks here; those in Redis have the same rule in `windows.lua.ts`. */
export function fits(limit: number, totals: WindowTotals, credits: number): boolean {
  return credits <= creditsLeft(limit, totals)
}

export function alreadyDecided(details: ReservationDetails | undefined): InvalidRequestError {
  const message = 'The reservation is already settled or released: reserve again before you send a request.'
  return new InvalidRequestError(message, { ...details, code: 'reservation_decided' })
}
