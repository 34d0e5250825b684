import type { ApiPromise, CallMeta } from '../../api-promise.ts'
import { internalsOf } from '../../client-internals.ts'
import type { CancellationSignal } from '../../concurrency/cancellation.ts'
import type { Reservation } from '../../credits/budget.ts'
import type { SpendingLimit, WatchedReservation } from '../../credits/joint-budget.ts'
import type { OperationId } from '../../generated/operations.ts'
import { isPromise } from '../../utils/is-promise.ts'
import type { FeedClient } from '../types.ts'

/** The answer to a request. */
export interface Spent<T> {
  readonly data: T
  /** Credits charged. */
  readonly credits: number
  readonly headers: CallMeta['headers']
}

export interface SendOptions {
  readonly signal: CancellationSignal
  /** Called when the request leaves; until then an abort costs nothing. */
  readonly onSent?: (() => void) | undefined
}

/** Makes one attempt within the budget of the feed. The call itself reserves and settles, because it alone knows what was sent. */
export type Send = <T>(operation: OperationId, params: object, options: SendOptions) => Promise<Spent<T>>

export function createSend(client: FeedClient, budget: SpendingLimit): Send {
  const internals = internalsOf(client)
  return async <T>(operation: OperationId, params: object, { signal, onSent }: SendOptions) => {
    // The feed retries by itself, so each call makes one attempt.
    const options = { signal, retry: false } as const
    const limit = onSent ? tellWhenSent(budget, onSent) : budget
    const promise = internals
      ? internals.call(operation, params, options, { budget: limit })
      : callMethod(client, operation, params, options)
    const { data, meta } = await promise.withMeta()
    return { data: data as T, credits: meta.credits.charged, headers: meta.headers }
  }
}

/** Of a client that `createClient` did not make: its calls count in no budget of the feed. */
function callMethod(client: FeedClient, operation: OperationId, params: object, options: object): ApiPromise<unknown> {
  const [group = '', action = ''] = operation.split('.')
  const groups = client as unknown as Record<string, Record<string, (params: object, options: object) => unknown>>
  return groups[group]?.[action]?.(params, options) as ApiPromise<unknown>
}

function tellWhenSent(limit: SpendingLimit, onSent: () => void): SpendingLimit {
  const watch = (reservation: Reservation): WatchedReservation => ({
    credits: reservation.credits,
    confirm: (details, key) => reservation.confirm(details, key),
    settle: (charged, observed) => reservation.settle(charged, observed),
    release: () => reservation.release(),
    markUncertain: () => reservation.markUncertain(),
    sent() {
      const watched: WatchedReservation = reservation
      watched.sent?.()
      onSent()
    },
  })
  return {
    check: (credits, details) => limit.check(credits, details),
    reserve(credits, details) {
      const reserved = limit.reserve(credits, details)
      return isPromise(reserved) ? reserved.then(watch) : watch(reserved)
    },
  }
}
