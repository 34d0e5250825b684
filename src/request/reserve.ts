import { raceWithAbort } from '../concurrency/cancellation.ts'
import type { Reservation } from '../credits/budget.ts'
import { reserveInBoth, type SpendingLimit } from '../credits/joint-budget.ts'
import { StarterFailure } from '../errors/budget.ts'
import { isPromise } from '../utils/runtime.ts'
import type { RequestState } from './send.ts'

/**
 * Reserves the worst case of the next attempt, at once, in the client's budget and in the limit that the call brings along: the credits
 * of a lost attempt stay blocked. It waits where a store has to write it.
 */
export async function reserve(budget: SpendingLimit, state: RequestState, cause?: unknown): Promise<void> {
  const { request, shared, limit } = state
  const { attempts, charge, credits } = shared.totals
  const details = { operation: request.operation, attempts, charge, credits, cause }
  const { max } = request.cost
  state.reservation = limit ? reserveInBoth(limit, budget, max, details) : budget.reserve(max, details)
  if (!isPromise(state.reservation)) return
  state.hasWaited = true
  state.reservation = await shared.awaitState(state.reservation)
}

/**
 * Reserves the worst case of the first attempt of a request. Of a batch, it waits until all requests have theirs. What one of them is
 * refused is no failure of a caller who shares another one.
 */
export async function reserveFirst(budget: SpendingLimit, state: RequestState): Promise<void> {
  const { batch, shared, request } = state
  const reserving = reserve(budget, state)
  if (batch === undefined) return reserving
  await raceWithAbort(batch.reservations.add(reserving, request.cost.max), shared.signal)
}

/** What the requests of a batch reserve before the first of them is sent. */
export class BatchReservations {
  readonly #reserving: Promise<void>[] = []
  readonly #endCall: (reason: unknown) => void
  #needed = 0
  #isComplete = false

  /** @param endCall ends the call whose requests did not all fit */
  constructor(endCall: (reason: unknown) => void) {
    this.#endCall = endCall
  }

  /** The worst case of all its requests, in credits. */
  get needed(): number {
    return this.#needed
  }

  /**
   * Resolves when every request of the batch has its worst case reserved. All of them are added in one turn; one that is added later, to
   * ask anew, waits for its own alone.
   * @throws StarterFailure with the first refusal
   */
  async add(reserving: Promise<void>, credits: number): Promise<void> {
    this.#needed += credits
    this.#reserving.push(reserving)
    // Meanwhile the others are added.
    await Promise.allSettled([reserving])
    const results = await Promise.allSettled(this.#isComplete ? [reserving] : this.#reserving)
    const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    if (refused === undefined) {
      this.#isComplete = true
      return
    }
    const reason = refused.reason instanceof StarterFailure ? refused.reason.reason : refused.reason
    if (!this.#isComplete) this.#endCall(reason)
    throw new StarterFailure(reason)
  }
}

/** Releases what is still reserved. Does nothing when the charge was settled. */
export function releaseReservation({ reservation }: { reservation?: Reservation | Promise<Reservation> | undefined }) {
  if (isPromise(reservation)) {
    reservation.then(
      (reserved) => reserved.release(),
      () => {},
    )
  } else reservation?.release()
}
