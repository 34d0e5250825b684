import { StarterFailure } from '../errors/budget.ts'
import { isPromise } from '../utils/runtime.ts'
import type { Budget, Reservation, ReservationDetails } from './budget.ts'

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
        (second) => joinReservations(first, second),
      ),
  )
}

/** Releases what is still reserved, or is being reserved, as soon as it is. Does nothing where the charge was settled. Never rejects. */
export async function releaseReservation(reservation: Reservation | Promise<Reservation> | undefined): Promise<void> {
  if (isPromise(reservation)) {
    await reservation.then(
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

function joinReservations(own: Reservation, common: Reservation): Reservation {
  const joined: Reservation = {
    credits: common.credits,
    confirm(details, key) {
      const confirmBoth = () =>
        inTurn(
          () => own.confirm(details, key),
          concernsStarter,
          () => common.confirm(details, key),
        )
      const confirmed = inTurn(confirmBoth, releaseAfter(joined), () => {})
      // A window of either may have ended meanwhile: both have to be confirmed without a wait.
      return isPromise(confirmed) ? confirmed.then(() => joined.confirm(details, key)) : undefined
    },
    settle(charged, observed) {
      const proof = own.settle(charged, observed)
      // Where both know the key, they have lost the same answers.
      return common.settle(charged, observed) ?? proof
    },
    release() {
      own.release()
      common.release()
    },
    markUncertain() {
      own.markUncertain()
      common.markUncertain()
    },
  }
  return joined
}
