import type { ApiPromise, CallMeta } from '../../api-promise.ts'
import { internalsOf } from '../../client-internals.ts'
import type { CancellationSignal } from '../../concurrency/cancellation.ts'
import type { SpendingLimit } from '../../credits/joint-budget.ts'
import { isEtnMarketError } from '../../errors/base.ts'
import type { OperationId } from '../../generated/operations.ts'
import type { BatchPrice, TokenPrice } from '../../generated/types.ts'
import { isObject } from '../../operations/type-guards.ts'
import { cachedForMs } from '../../transport/age.ts'
import { isUnknownToken } from '../failures.ts'
import type { FeedClient } from '../types.ts'

export interface Spent<T> {
  readonly data: T
  readonly credits: number
  readonly headers: CallMeta['headers']
  /** How long a cache on the way had kept the answer, in milliseconds. */
  readonly cachedForMs: number
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
    const { headers } = meta
    return { data: data as T, credits: meta.credits.charged, headers, cachedForMs: cachedForMs(headers?.age) }
  }
}

/** Of a client that `createClient` did not make: its calls count in no budget of the feed, and what is withdrawn may be sent. */
function callMethod(client: FeedClient, operation: OperationId, params: object, options: object): ApiPromise<unknown> {
  const [group = '', action = ''] = operation.split('.')
  const groups = client as unknown as Record<string, Record<string, (params: object, options: object) => unknown>>
  return groups[group]?.[action]?.(params, options) as ApiPromise<unknown>
}

export interface BoughtPrices {
  /** Null: the token has no price. Addresses whose entry in the answer is invalid are missing. */
  readonly prices: ReadonlyMap<string, TokenPrice | null>
  readonly credits: number
  readonly cachedForMs?: number
  /** Whether the service does not know the one token that was asked for. */
  readonly isUnknown?: boolean
  /** Why addresses are missing. */
  readonly error?: unknown
}

export async function buyPrices(send: Send, addresses: readonly string[], options: SendOptions): Promise<BoughtPrices> {
  const [address = ''] = addresses
  try {
    if (addresses.length > 1) {
      const { data, ...spent } = await send<Record<string, TokenPrice | null>>('prices.batch', { addresses }, options)
      return { ...spent, prices: new Map(addresses.map((wanted) => [wanted, orNull(data[wanted])])) }
    }
    const { data, ...spent } = await send<TokenPrice>('token.price', { address }, options)
    return { ...spent, prices: new Map([[address, orNull(data)]]) }
  } catch (error) {
    if (addresses.length > 1) return readValidEntries(error, addresses)
    if (isUnknownToken(error)) return { prices: new Map([[address, null]]), credits: 0, isUnknown: true }
    throw error
  }
}

/** With `validate: 'strict'`, one invalid entry rejects a batch that is paid for. @throws the error, if no entry can be read */
function readValidEntries(error: unknown, addresses: readonly string[]): BoughtPrices {
  const isRejected = isEtnMarketError(error) && error.code === 'unexpected_shape'
  const data = isRejected && isObject(error.body) ? error.body.data : undefined
  if (!isRejected || !isObject(data)) throw error
  const entries = new Map(Object.entries(data).map(([address, entry]) => [address.toLowerCase(), entry]))
  const prices = new Map<string, TokenPrice | null>()
  for (const address of addresses) {
    const entry = entries.get(address.toLowerCase()) ?? null
    if (entry === null) prices.set(address, null)
    else if (isObject(entry) && isPriceText(entry.usd) && isPriceText(entry.etn))
      prices.set(address, orNull({ ...(entry as BatchPrice), address }))
  }
  if (prices.size === 0 || prices.size === addresses.length) throw error
  return { prices, credits: error.credits, error }
}

export function isPriceText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string'
}

/** A token without a price is absent from a batch; `token.price` returns it without both fields. */
function orNull(price: TokenPrice | null | undefined): TokenPrice | null {
  return typeof price?.usd === 'string' || typeof price?.etn === 'string' ? price : null
}
