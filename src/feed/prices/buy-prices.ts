import type { ApiPromise, CallMeta } from '../../api-promise.ts'
import { requestCredits } from '../../credits/batch-cost.ts'
import type { SpendingLimit } from '../../credits/joint-budget.ts'
import { isEtnMarketError } from '../../errors/base.ts'
import type { BatchPrice, TokenPrice } from '../../generated/types.ts'
import { isObject } from '../../operations/type-guards.ts'
import { isUnknownToken } from '../failures.ts'
import type { FeedClient } from '../types.ts'

/** Options of a call. The feed retries by itself, so each call makes one attempt. */
export interface SendOptions {
  readonly signal: AbortSignal
  readonly retry: false
}

/** The answer to a call. */
export interface Spent<T> {
  readonly data: T
  /** Credits charged. */
  readonly credits: number
  readonly headers: CallMeta['headers']
}

/** Makes one call within a budget, and settles what it cost. */
export async function spendFromBudget<T>(
  budget: SpendingLimit,
  worstCase: number,
  send: () => ApiPromise<T>,
): Promise<Spent<T>> {
  const reservation = await budget.reserve(worstCase)
  // A new day may have begun while the reservation was written.
  await reservation.confirm()
  try {
    const { data, meta } = await send().withMeta()
    reservation.settle(meta.credits.charged)
    return { data, credits: meta.credits.charged, headers: meta.headers }
  } catch (error) {
    const charge = isEtnMarketError(error) ? error.charge : 'unknown'
    if (charge === 'none') reservation.release()
    else if (charge === 'charged' && isEtnMarketError(error)) reservation.settle(error.credits)
    else reservation.markUncertain()
    throw error
  }
}

/** The price of an address that was bought; null if the token has none. */
export type PriceOf = (address: string) => TokenPrice | null

export interface BoughtPrices {
  readonly priceOf: PriceOf
  readonly credits: number
  /** Addresses whose entry in the answer is invalid. */
  readonly invalid?: { readonly addresses: ReadonlySet<string>; readonly error: unknown } | undefined
}

/** Buys one price with `token.price`, or several with `prices.batch`. */
export async function buyPrices(
  client: FeedClient,
  budget: SpendingLimit,
  addresses: readonly string[],
  options: SendOptions,
): Promise<BoughtPrices> {
  const [address = ''] = addresses
  const worstCase = requestCredits(addresses.length)
  if (addresses.length > 1) {
    try {
      const send = () => client.prices.batch({ addresses }, options)
      const { data, credits } = await spendFromBudget(budget, worstCase, send)
      return { priceOf: (wanted) => orNull(data[wanted]), credits }
    } catch (error) {
      const valid = validEntries(error, addresses)
      if (valid === undefined) throw error
      return valid
    }
  }
  try {
    const { data, credits } = await spendFromBudget(budget, worstCase, () => client.token.price({ address }, options))
    return { priceOf: () => orNull(data), credits }
  } catch (error) {
    if (!isUnknownToken(error)) throw error
    return { priceOf: () => null, credits: 0 }
  }
}

/** With `validate: 'strict'`, one invalid entry rejects a batch that is paid for: the others are read from the error. */
function validEntries(error: unknown, addresses: readonly string[]): BoughtPrices | undefined {
  if (!isEtnMarketError(error) || error.code !== 'unexpected_shape') return undefined
  const data = isObject(error.body) ? error.body.data : undefined
  if (!isObject(data)) return undefined
  const entries = new Map(Object.entries(data).map(([address, entry]) => [address.toLowerCase(), entry]))
  const prices = new Map<string, TokenPrice | null>()
  for (const address of addresses) {
    const entry = entries.get(address.toLowerCase())
    if (entry === undefined || entry === null) prices.set(address, null)
    else if (isValidEntry(entry)) prices.set(address, orNull({ ...entry, address }))
  }
  const invalid = new Set(addresses.filter((address) => !prices.has(address)))
  if (invalid.size === 0 || invalid.size === addresses.length) return undefined
  return {
    priceOf: (address) => prices.get(address) ?? null,
    credits: error.credits,
    invalid: { addresses: invalid, error },
  }
}

function isValidEntry(entry: unknown): entry is BatchPrice {
  const isPrice = (value: unknown) => value === undefined || value === null || typeof value === 'string'
  return isObject(entry) && isPrice(entry.usd) && isPrice(entry.etn)
}

/** A token without a price is absent from a batch; `token.price` returns it without both fields. */
function orNull(price: TokenPrice | null | undefined): TokenPrice | null {
  if (price === undefined || price === null) return null
  return typeof price.usd === 'string' || typeof price.etn === 'string' ? price : null
}
