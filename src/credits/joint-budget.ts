import { StarterFailure } from '../errors/budget.ts'
import { isPromise } from '../utils/runtime.ts'
import type { Budget, Reconciliation, Reservation, ReservationDetails } from './budget.ts'

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
  return inTurn(
    () => own.reserve(credits, details),
    concernsStarter,
    (first) =>
      inTurn(
        () => common.reserve(credits, details),
        releaseAfter(first),
        (second) => new JointReservation(first, second),
      ),
  )
}

/** Releases what is still reserved, or is being reserved. Does nothing where the charge was settled. */
export function releaseReservation(reservation: Reservation | Promise<Reservation> | undefined): void {
  if (isPromise(reservation)) {
    reservation.then(
      (reserved) => reserved.release(),
      () => {},
    )
  } else reservation?.release()
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

/** Runs one step after another: at once, unless the first one has to wait for a store. */
function inTurn<T, U>(
  first: () => T | Promise<T>,
  onError: (error: unknown) => never,
  next: (value: T) => U | Promise<U>,
): U | Promise<U> {
  let value: T | Promise<T>
  try {
    value = first()
  } catch (error) {
    return onError(error)
  }
  return isPromise(value) ? value.then(next, onError) : next(value)
}

function concernsStarter(error: unknown): never {
  throw error instanceof StarterFailure ? error : new StarterFailure(error)
}

const releaseAfter = (reservation: Reservation) => (error: unknown) => {
  reservation.release()
  throw error
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
    const confirmBoth = () =>
      inTurn(
        () => this.#own.confirm(details, key),
        concernsStarter,
        () => this.#common.confirm(details, key),
      )
    const confirmed = inTurn(confirmBoth, releaseAfter(this), () => {})
    // A window of either may have ended meanwhile: both have to be confirmed without a wait.
    return isPromise(confirmed) ? confirmed.then(() => this.confirm(details, key)) : undefined
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
}
