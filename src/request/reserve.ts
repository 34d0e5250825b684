import { type CancellationSignal, raceWithAbort } from '../concurrency/cancellation.ts'
import type { Reservation } from '../credits/budget.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import type { RequestProgress, RequestState } from './types.ts'

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

/** The reservation, as soon as a budget with a store has written it. */
export async function awaitReservation(state: Reserving): Promise<Reservation> {
  const { reservation, signal, progress } = state
  if (!(reservation instanceof Promise)) return reservation
  state.hasWaited = true
  const reserved = await awaitState(reservation, signal, progress)
  state.reservation = reserved
  return reserved
}

/** Moves the reservation to the window in which the request is sent. @throws BudgetExceededError when it does not fit there */
export async function confirmReservation(state: Reserving, signal: CancellationSignal): Promise<Reservation> {
  const reservation = await awaitReservation(state)
  const { request, totals } = state
  const { attempts, charge, credits } = totals
  const confirmed = reservation.confirm({ operation: request.operation, attempts, charge, credits })
  if (confirmed instanceof Promise) await awaitState(confirmed, signal, state.progress)
  return reservation
}

/** A deadline that passes meanwhile is a failure of the store, not of the service. */
async function awaitState<T>(work: Promise<T>, signal: CancellationSignal, progress: RequestProgress): Promise<T> {
  progress.isAwaitingState = true
  try {
    return await raceWithAbort(work, signal)
  } finally {
    progress.isAwaitingState = false
  }
}

/** Releases what is still reserved. Does nothing when the charge was settled. */
export function releaseReservation({ reservation }: Pick<Reserving, 'reservation'>): void {
  if (reservation instanceof Promise) {
    reservation.then(
      (reserved) => reserved.release(),
      () => {},
    )
  } else reservation.release()
}
