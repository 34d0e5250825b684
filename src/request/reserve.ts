import { raceWithAbort } from '../concurrency/cancellation.ts'
import type { Reservation } from '../credits/budget.ts'
import { reserveInBoth, type SpendingLimit } from '../credits/joint-budget.ts'
import { StarterFailure } from '../errors/budget.ts'
import { isPromise } from '../utils/runtime.ts'
import type { RequestState } from './types.ts'

type Reserving = Pick<
  RequestState,
  'reservation' | 'signal' | 'request' | 'totals' | 'hasWaited' | 'progress' | 'limit'
>

/**
 * Reserves the worst case of the next attempt, at once, in the client's budget and in the limit that the call brings along: the credits
 * of a lost attempt stay blocked. A promise where a store has to write it.
 */
export function reserve(budget: SpendingLimit, state: Reserving, cause?: unknown): void | Promise<void> {
  const { request, totals, limit } = state
  const { attempts, charge, credits } = totals
  const details = { operation: request.operation, attempts, charge, credits, cause }
  const { max } = request.cost
  state.reservation = limit ? reserveInBoth(limit, budget, max, details) : budget.reserve(max, details)
  return isPromise(state.reservation) ? awaitReservation(state, state.reservation) : undefined
}

async function awaitReservation(state: Reserving, reservation: Promise<Reservation>): Promise<void> {
  state.hasWaited = true
  state.reservation = await awaitState(reservation, state)
}

/**
 * Reserves the worst case of the first attempt of a request, and waits until all requests of its call have theirs. What one of them is
 * refused is no failure of a caller who shares another one.
 */
export async function reserveFirst(budget: SpendingLimit, state: RequestState): Promise<void> {
  const { batch } = state
  if (batch === undefined) return reserve(budget, state)
  batch.beginReserving(state.request.cost.max)
  let refusal: unknown
  try {
    await reserve(budget, state)
  } catch (error) {
    refusal = error instanceof StarterFailure ? error.reason : error
  }
  batch.endReserving(refusal)
  await raceWithAbort(batch.allReserved, state.signal)
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
