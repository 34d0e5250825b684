import { raceWithAbort } from '../concurrency/cancellation.ts'
import type { Reservation } from '../credits/budget.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { isPromise } from '../utils/is-promise.ts'
import type { RequestState } from './types.ts'

type Reserving = Pick<RequestState, 'reservation' | 'signal' | 'request' | 'totals' | 'hasWaited' | 'progress'>

/** Reserves the worst case of the next attempt: the credits of a lost one stay blocked. */
export function reserve(
  budget: SpendingLimit,
  { request, totals }: Pick<Reserving, 'request' | 'totals'>,
  cause?: unknown,
) {
  const { attempts, charge, credits } = totals
  return budget.reserve(request.cost.max, { operation: request.operation, attempts, charge, credits, cause })
}

/** Waits until a budget with a store has written the reservation. */
export async function awaitReservation(state: Reserving, reservation: Promise<Reservation>): Promise<void> {
  state.hasWaited = true
  state.reservation = await awaitState(reservation, state)
}

/**
 * Moves the reservation to the window in which the request is sent. A promise where the budget has a store.
 * @throws BudgetExceededError when it does not fit there
 */
export function confirmReservation(
  { request, totals }: Reserving,
  reservation: Reservation,
  keyName: string,
): void | Promise<void> {
  const { attempts, charge, credits } = totals
  return reservation.confirm({ operation: request.operation, attempts, charge, credits }, keyName)
}

/** Waits for a store. A deadline that passes meanwhile is a failure of the store, not of the service. */
export async function awaitState<T>(work: Promise<T>, { signal, progress }: Reserving): Promise<T> {
  progress.isAwaitingState = true
  try {
    return await raceWithAbort(work, signal)
  } finally {
    progress.isAwaitingState = false
  }
}

/** Releases what is still reserved. Does nothing when the charge was settled. */
export function releaseReservation({ reservation }: Pick<Reserving, 'reservation'>): void {
  if (isPromise(reservation)) {
    reservation.then(
      (reserved) => reserved.release(),
      () => {},
    )
  } else reservation?.release()
}
