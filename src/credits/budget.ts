import { type Clock, systemClock } from '../clock.ts'
import type { ErrorDetails } from '../errors/base.ts'
import { BudgetExceededError } from '../errors/budget.ts'
import { invalidOption, refuseUnknown } from '../errors/input.ts'

export interface BudgetOptions {
  /** Most credits that may be spent, a whole number; in each window when there is one. */
  credits: number
  /** Length of a window in milliseconds, counted from the budget's creation. Without it the budget never renews itself. */
  windowMs?: number | undefined
}

/** A limit in credits that holds under any concurrency: `spent + reserved + uncertain <= limit`. */
export interface Budget {
  /** Credits that may be spent in a window; Infinity when there is no limit. */
  readonly limit: number
  /** Credits known to have been charged in this window. */
  readonly spent: number
  /** Worst case of what is being asked right now. */
  readonly reserved: number
  /** Worst case of what may have been charged without an answer that tells. Held until the window ends. */
  readonly uncertain: number
  /** What a further call may cost at most. */
  readonly available: number
  /** When this window ends, unix milliseconds; undefined without a window. */
  readonly resetsAt: number | undefined
  /**
   * Sets credits aside, at once or not at all. The client does this before each request; call it to guard other spending too.
   * `details` go into the error.
   * @throws BudgetExceededError when they do not fit.
   */
  reserve(credits: number, details?: Omit<ErrorDetails, 'code'>): Reservation
}

/** Credits set aside. The first of its methods to be called decides; later calls do nothing. */
export interface Reservation {
  readonly credits: number
  /** The charge is known: it counts as spent, and what was set aside beyond it is free again. */
  settle(charged: number): void
  /** Nothing was charged. */
  release(): void
  /** Nobody knows whether it was charged: the worst case stays blocked until the window ends. */
  lose(): void
}

/** Node prints what this returns, rather than the names of getters. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

interface Window {
  endsAt: number
  spent: number
  reserved: number
  uncertain: number
}

/**
 * A budget that several clients can share.
 * @example const budget = createBudget({ credits: 100_000, windowMs: 86_400_000 })
 * @throws InvalidRequestError when an option is not accepted.
 */
export function createBudget(options: BudgetOptions, clock: Pick<Clock, 'now'> = systemClock): Budget {
  refuseUnknown('budget option', options, ['credits', 'windowMs'])
  const { credits: limit, windowMs } = options
  if (!(limit === Number.POSITIVE_INFINITY || isCredits(limit))) {
    throw invalidOption('budget.credits', limit, 'a whole number of credits, 0 or more')
  }
  if (windowMs !== undefined && !(typeof windowMs === 'number' && windowMs > 0)) {
    throw invalidOption('budget.windowMs', windowMs, 'a length in milliseconds above 0')
  }
  const length = windowMs ?? Number.POSITIVE_INFINITY
  let window = open(clock.now() + length)

  function current(): Window {
    const now = clock.now()
    if (now >= window.endsAt) window = open(window.endsAt + length * (Math.floor((now - window.endsAt) / length) + 1))
    return window
  }

  const free = ({ spent, reserved, uncertain }: Window) => Math.max(0, limit - spent - reserved - uncertain)

  const budget: Budget = {
    limit,
    get spent() {
      return current().spent
    },
    get reserved() {
      return current().reserved
    },
    get uncertain() {
      return current().uncertain
    },
    get available() {
      return free(current())
    },
    get resetsAt() {
      const { endsAt } = current()
      return endsAt === Number.POSITIVE_INFINITY ? undefined : endsAt
    },
    reserve(credits, details) {
      if (!isCredits(credits)) throw invalidOption('credits', credits, 'a whole number of credits, 0 or more')
      const held = current()
      const available = free(held)
      if (credits > available) {
        throw new BudgetExceededError(
          `${details?.operation ? `${details.operation}: the` : 'The'} budget has ${available} of ${limit} credits left, but up to ${credits} are needed. Nothing was sent. ` +
            (windowMs === undefined ? 'Allow more credits.' : 'Wait for the next window or allow more credits.'),
          { ...details, needed: credits, available, resetsAt: windowMs === undefined ? undefined : held.endsAt },
        )
      }
      return new HeldCredits(held, credits)
    },
  }
  return Object.defineProperty(budget, INSPECT, { value: () => ({ ...budget }) })
}

/**
 * Keeps to the window in which it was made: an answer that comes after the roll-over belongs to the old one.
 * A class, because one is made for each request, and closures would be made anew for each.
 */
class HeldCredits implements Reservation {
  readonly credits: number
  #window: Window | undefined

  constructor(window: Window, credits: number) {
    this.credits = credits
    this.#window = window
    window.reserved += credits
  }

  settle(charged: number): void {
    if (!isCredits(charged)) throw invalidOption('charge', charged, 'a whole number of credits, 0 or more')
    this.#decide(charged, 0)
  }

  release(): void {
    this.#decide(0, 0)
  }

  lose(): void {
    this.#decide(0, this.credits)
  }

  #decide(spent: number, uncertain: number): void {
    const window = this.#window
    if (window === undefined) return
    this.#window = undefined
    window.reserved -= this.credits
    window.spent += spent
    window.uncertain += uncertain
  }
}

function open(endsAt: number): Window {
  return { endsAt, spent: 0, reserved: 0, uncertain: 0 }
}

function isCredits(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
