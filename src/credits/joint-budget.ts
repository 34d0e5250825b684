import { StarterFailure } from '../errors/starter-failure.ts'
import { isPromise } from '../utils/is-promise.ts'
import type { Budget, Reconciliation, Reservation, ReservationDetails } from './budget-types.ts'

/** What a request needs of a budget. */
export type SpendingLimit = Pick<Budget, 'check' | 'reserve'>

/**
 * Reserves in the limit of one caller and in the budget that all calls have: what is spent has to fit both and counts in both, and what
 * one of them refuses is not left on the other.
 * @throws StarterFailure where the limit of the caller refuses, which is nobody else's failure
 */
export function reserveInBoth(
  own: SpendingLimit,
  common: SpendingLimit,
  credits: number,
  details?: ReservationDetails,
): Reservation | Promise<Reservation> {
  const reserveCommon = (reserved: Reservation) => joinReservations(reserved, common, credits, details)
  let first: Reservation | Promise<Reservation>
  try {
    first = own.reserve(credits, details)
  } catch (error) {
    return concernsStarter(error)
  }
  return isPromise(first) ? first.catch(concernsStarter).then(reserveCommon) : reserveCommon(first)
}

/** Two limits of one caller as one. */
export function joinLimits(one: SpendingLimit, other: SpendingLimit): SpendingLimit {
  return {
    check(credits, details) {
      one.check(credits, details)
      other.check(credits, details)
    },
    reserve: (credits, details) => reserveInBoth(one, other, credits, details),
  }
}

function joinReservations(
  own: Reservation,
  common: SpendingLimit,
  credits: number,
  details: ReservationDetails | undefined,
): Reservation | Promise<Reservation> {
  const giveBack = (error: unknown): never => {
    own.release()
    throw error
  }
  let second: Reservation | Promise<Reservation>
  try {
    second = common.reserve(credits, details)
  } catch (error) {
    return giveBack(error)
  }
  return isPromise(second)
    ? second.then((reserved) => new JointReservation(own, reserved), giveBack)
    : new JointReservation(own, second)
}

function concernsStarter(error: unknown): never {
  throw error instanceof StarterFailure ? error : new StarterFailure(error)
}

class JointReservation implements Reservation {
  readonly credits: number
  readonly #own: Reservation
  readonly #common: Reservation

  constructor(own: Reservation, common: Reservation) {
    this.credits = common.credits
    this.#own = own
    this.#common = common
  }

  confirm(details?: ReservationDetails, key?: string): void | Promise<void> {
    try {
      const own = this.#confirmOwn(details, key)
      const confirmed = isPromise(own)
        ? own.then(() => this.#common.confirm(details, key))
        : this.#common.confirm(details, key)
      if (!isPromise(confirmed)) return
      // A window of either may have ended meanwhile: both have to be confirmed without a wait.
      return confirmed.then(() => this.confirm(details, key)).catch((error) => this.#giveBack(error))
    } catch (error) {
      this.#giveBack(error)
    }
  }

  settle(charged: number, observed?: { readonly remaining?: number | undefined }): Reconciliation | undefined {
    this.#own.settle(charged, observed)
    return this.#common.settle(charged, observed)
  }

  release(): void {
    this.#own.release()
    this.#common.release()
  }

  markUncertain(): void {
    this.#own.markUncertain()
    this.#common.markUncertain()
  }

  #confirmOwn(details: ReservationDetails | undefined, key: string | undefined): void | Promise<void> {
    try {
      const confirmed = this.#own.confirm(details, key)
      return isPromise(confirmed) ? confirmed.catch(concernsStarter) : confirmed
    } catch (error) {
      return concernsStarter(error)
    }
  }

  #giveBack(error: unknown): never {
    this.release()
    throw error
  }
}
