import { isPromise } from '../utils/is-promise.ts'
import type { Budget, Reconciliation, Reservation, ReservationDetails } from './budget-types.ts'

/** What a request needs of a budget. */
export type SpendingLimit = Pick<Budget, 'check' | 'reserve'>

/** A reservation whose `sent` is called when its request is sent. */
export interface WatchedReservation extends Reservation {
  sent?(): void
}

/** Two limits as one: what is spent has to fit both and counts in both, and what one of them refuses is not left on the other. */
export function joinBudgets(first: SpendingLimit, second: SpendingLimit): SpendingLimit {
  return {
    check(credits, details) {
      first.check(credits, details)
      second.check(credits, details)
    },
    reserve(credits, details) {
      const one = first.reserve(credits, details)
      return isPromise(one)
        ? one.then((reserved) => reserveBoth(reserved, second, credits, details))
        : reserveBoth(one, second, credits, details)
    },
  }
}

function reserveBoth(
  one: Reservation,
  second: SpendingLimit,
  credits: number,
  details: ReservationDetails | undefined,
): Reservation | Promise<Reservation> {
  const giveBack = (error: unknown): never => {
    one.release()
    throw error
  }
  let other: Reservation | Promise<Reservation>
  try {
    other = second.reserve(credits, details)
  } catch (error) {
    return giveBack(error)
  }
  return isPromise(other)
    ? other.then((reserved) => new JointReservation(one, reserved), giveBack)
    : new JointReservation(one, other)
}

class JointReservation implements WatchedReservation {
  readonly credits: number
  readonly #one: WatchedReservation
  readonly #other: WatchedReservation

  constructor(one: Reservation, other: Reservation) {
    this.credits = other.credits
    this.#one = one
    this.#other = other
  }

  confirm(details?: ReservationDetails, key?: string): void | Promise<void> {
    try {
      const one = this.#one.confirm(details, key)
      const confirmed = isPromise(one)
        ? one.then(() => this.#other.confirm(details, key))
        : this.#other.confirm(details, key)
      if (!isPromise(confirmed)) return
      // A window of either may have ended meanwhile: both have to be confirmed without a wait.
      return confirmed.then(() => this.confirm(details, key)).catch((error) => this.#giveBack(error))
    } catch (error) {
      this.#giveBack(error)
    }
  }

  sent(): void {
    this.#one.sent?.()
    this.#other.sent?.()
  }

  settle(charged: number, observed?: { readonly remaining?: number | undefined }): Reconciliation | undefined {
    this.#one.settle(charged, observed)
    return this.#other.settle(charged, observed)
  }

  release(): void {
    this.#one.release()
    this.#other.release()
  }

  markUncertain(): void {
    this.#one.markUncertain()
    this.#other.markUncertain()
  }

  #giveBack(error: unknown): never {
    this.release()
    throw error
  }
}
