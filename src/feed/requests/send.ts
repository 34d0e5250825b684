import type { ApiPromise, CallMeta } from '../../client/api-promise.ts'
import type { ClientInternals, InternalOptions } from '../../client/client-internals.ts'
import type { CallOptions } from '../../client/options.ts'
import type { CancellationSignal } from '../../concurrency/cancellation.ts'
import type { SpendingLimit } from '../../credits/joint-budget.ts'
import { ResponseError } from '../../errors/api.ts'
import { BatchPrice as isBatchPrice } from '../../generated/guards.ts'
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
  /** How long before the call its request was sent, where another call had sent it, in milliseconds. */
  readonly sharedForMs: number
}

export interface SendOptions {
  /** Aborts the request, sent or not. */
  readonly signal?: CancellationSignal | undefined
  /** Withdraws the request where it has not left; the answer of one that has is waited for. */
  readonly stop?: CancellationSignal | undefined
  /** What it has to fit. @default the budget of the feed */
  readonly limit?: SpendingLimit | undefined
}

/** Makes one attempt within the budget of the feed. The call itself settles, because it alone knows what was sent. */
export type Send = <T>(operation: OperationId, params: object, options: SendOptions) => Promise<Spent<T>>

export function createSend(client: FeedClient, internals: ClientInternals | undefined, budget: SpendingLimit): Send {
  return async <T>(operation: OperationId, params: object, { signal, stop, limit = budget }: SendOptions) => {
    // One invalid price must not reject a batch that is paid for: the feed looks at each price.
    const isChecked = operation === 'prices.batch' && internals?.validate !== 'off'
    // The feed retries by itself, so each call makes one attempt.
    const options = {
      retry: false,
      ...(signal && { signal }),
      ...(isChecked && { validate: 'warn' as const }),
    } as const
    const { data, meta } = await (internals
      ? internals.call(operation, params, options, { budget: limit, stop }).withMeta()
      : callMethod(client, operation, params, options))
    const { credits, headers, sharedForMs = 0 } = meta
    return { data: data as T, credits: credits.charged, headers, sharedForMs, cachedForMs: cachedForMs(headers?.age) }
  }
}

/** Of a client that `createClient` did not make: its calls count in no budget of the feed, and what is withdrawn may be sent. */
async function callMethod(client: FeedClient, operation: OperationId, params: object, options: InternalOptions) {
  const [group = '', action = ''] = operation.split('.')
  const methods = (client as unknown as Record<string, Record<string, Method>>)[group]
  const method = methods?.[action] as Method
  const { signal, ...rest } = options
  // It may need a real signal.
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  try {
    return await method(params, { ...rest, signal: controller.signal }).withMeta()
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

type Method = (params: object, options: CallOptions) => ApiPromise<unknown>

export interface BoughtPrices extends Partial<Pick<Spent<unknown>, 'sharedForMs'>> {
  /** Null: the token has no price. Addresses whose entry in the answer is invalid are missing. */
  readonly prices: ReadonlyMap<string, TokenPrice | null>
  readonly credits: number
  readonly cachedForMs?: number | undefined
  /** Whether the service does not know the one token that was asked for. */
  readonly isUnknown?: boolean
  /** Why addresses are missing. */
  readonly error?: unknown
}

export async function buyPrices(send: Send, addresses: readonly string[], options: SendOptions): Promise<BoughtPrices> {
  const isBatch = addresses.length > 1
  const [address = ''] = addresses
  const operation = isBatch ? 'prices.batch' : 'token.price'
  let spent: Spent<unknown>
  try {
    spent = await send(operation, isBatch ? { addresses } : { address }, options)
  } catch (error) {
    if (isBatch || !isUnknownToken(error)) throw error
    return { prices: new Map([[address, null]]), credits: 0, cachedForMs: error.cachedForMs, isUnknown: true }
  }
  const { data, credits, cachedForMs, sharedForMs } = spent
  const prices = readEntries(isBatch ? data : { [address]: data }, addresses)
  const error = prices.size < addresses.length ? unusable(operation, spent) : undefined
  if (prices.size === 0) throw error
  return { prices, credits, cachedForMs, sharedForMs, error }
}

/** What was paid for and cannot be read. */
export function unusable(
  operation: OperationId,
  { data, credits }: Pick<Spent<unknown>, 'data' | 'credits'>,
): ResponseError {
  const message = `${operation}: the answer does not match the contract. It was paid for; the data is in error.body.`
  return new ResponseError(message, { operation, code: 'unexpected_shape', charge: 'charged', credits, body: data })
}

/** The entries that match the contract: with `validate: 'warn'` an answer may have any. A token without a price has none. */
function readEntries(data: unknown, addresses: readonly string[]): Map<string, TokenPrice | null> {
  const prices = new Map<string, TokenPrice | null>()
  if (!isObject(data)) return prices
  const entries = new Map(Object.entries(data).map(([address, entry]) => [address.toLowerCase(), entry]))
  for (const address of addresses) {
    const entry = entries.get(address.toLowerCase()) ?? null
    if (entry === null) prices.set(address, null)
    else if (isBatchPrice(entry)) prices.set(address, orNull({ ...(entry as BatchPrice), address }))
  }
  return prices
}

/** A token without a price is absent from a batch; `token.price` returns it without both fields. */
function orNull(price: TokenPrice): TokenPrice | null {
  return typeof price.usd === 'string' || typeof price.etn === 'string' ? price : null
}
