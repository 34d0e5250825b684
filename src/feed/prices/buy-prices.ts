import { isEtnMarketError } from '../../errors/base.ts'
import type { BatchPrice, TokenPrice } from '../../generated/types.ts'
import { isObject } from '../../operations/type-guards.ts'
import { isUnknownToken } from '../failures.ts'
import type { Send, SendOptions } from '../requests/send.ts'

/** What one request brought. */
export interface BoughtPrices {
  /** The price of an address; null if the token has none. */
  priceOf(address: string): TokenPrice | null
  readonly credits: number
  /** Whether the service does not know the one token that was asked for. */
  readonly isUnknown?: boolean
  /** Addresses whose entry in the answer is invalid. */
  readonly invalid?: { readonly addresses: ReadonlySet<string>; readonly error: unknown } | undefined
}

/** Buys one price with `token.price`, or several with `prices.batch`. */
export async function buyPrices(send: Send, addresses: readonly string[], options: SendOptions): Promise<BoughtPrices> {
  const [address = ''] = addresses
  try {
    if (addresses.length > 1) {
      const { data, credits } = await send<Record<string, TokenPrice | null>>('prices.batch', { addresses }, options)
      return { priceOf: (wanted) => orNull(data[wanted]), credits }
    }
    const { data, credits } = await send<TokenPrice>('token.price', { address }, options)
    return { priceOf: () => orNull(data), credits }
  } catch (error) {
    if (addresses.length === 1 && isUnknownToken(error)) return { priceOf: () => null, credits: 0, isUnknown: true }
    const valid = addresses.length > 1 ? validEntries(error, addresses) : undefined
    if (valid === undefined) throw error
    return valid
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
