import type { ApiPromise, CallMeta } from '../../api-promise.ts'
import { internalsOf } from '../../client-internals.ts'
import type { CancellationSignal } from '../../concurrency/cancellation.ts'
import type { SpendingLimit } from '../../credits/joint-budget.ts'
import type { OperationId } from '../../generated/operations.ts'
import type { FeedClient } from '../types.ts'

/** The answer to a request. */
export interface Spent<T> {
  readonly data: T
  /** Credits charged. */
  readonly credits: number
  readonly headers: CallMeta['headers']
}

export interface SendOptions {
  /** Aborts the request, sent or not. */
  readonly signal?: CancellationSignal | undefined
  /** Withdraws the request where it has not left; the answer of one that has is waited for. */
  readonly stop?: CancellationSignal | undefined
}

/** Makes one attempt within the budget of the feed. The call itself reserves and settles, because it alone knows what was sent. */
export type Send = <T>(operation: OperationId, params: object, options: SendOptions) => Promise<Spent<T>>

export function createSend(client: FeedClient, budget: SpendingLimit): Send {
  const internals = internalsOf(client)
  return async <T>(operation: OperationId, params: object, { signal, stop }: SendOptions) => {
    // The feed retries by itself, so each call makes one attempt.
    const options = { retry: false, ...(signal && { signal }) } as const
    const promise = internals
      ? internals.call(operation, params, options, { budget, stop })
      : callMethod(client, operation, params, options)
    const { data, meta } = await promise.withMeta()
    return { data: data as T, credits: meta.credits.charged, headers: meta.headers }
  }
}

/** Of a client that `createClient` did not make: its calls count in no budget of the feed, and what is withdrawn may be sent. */
function callMethod(client: FeedClient, operation: OperationId, params: object, options: object): ApiPromise<unknown> {
  const [group = '', action = ''] = operation.split('.')
  const groups = client as unknown as Record<string, Record<string, (params: object, options: object) => unknown>>
  return groups[group]?.[action]?.(params, options) as ApiPromise<unknown>
}
