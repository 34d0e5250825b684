import { isEtnMarketError } from '../../errors/base.ts'
import type { BatchPrice, TokenPrice } from '../../generated/types.ts'
import { isObject } from '../../operations/type-guards.ts'
import { isUnknownToken } from '../failures.ts'
import type { Send, SendOptions } from './send.ts'

/** What one request brought. */
export interface BoughtPrices {
  /** Null: the token has no price. Addresses whose entry in the answer is invalid are missing. */
  readonly prices: ReadonlyMap<string, TokenPrice | null>
  readonly credits: number
  /** Whether the service does not know the one token that was asked for. */
  readonly isUnknown?: boolean
  /** Why addresses are missing. */
  readonly error?: unknown
}

/** Buys one price with `token.price`, or several with `prices.batch`. */
export async function buyPrices(send: Send, addresses: readonly string[], options: SendOptions): Promise<BoughtPrices> {
  const [address = ''] = addresses
  try {
    if (addresses.length > 1) {
      const { data, credits } = await send<Record<string, TokenPrice | null>>('prices.batch', { addresses }, options)
      return { prices: new Map(addresses.map((wanted) => [wanted, orNull(data[wanted])])), credits }
    }
    const { data, credits } = await send<TokenPrice>('token.price', { address }, options)
    return { prices: new Map([[address, orNull(data)]]), credits }
  } catch (error) {
    if (addresses.length > 1) return readValidEntries(error, addresses)
    if (isUnknownToken(error)) return { prices: new Map([[address, null]]), credits: 0, isUnknown: true }
    throw error
  }
}

/**
 * With `validate: 'strict'`, one invalid entry rejects a batch that is paid for: the others are read from the error.
 * @throws the error, if there are none
 */
function readValidEntries(error: unknown, addresses: readonly string[]): BoughtPrices {
  const isRejected = isEtnMarketError(error) && error.code === 'unexpected_shape'
  const data = isRejected && isObject(error.body) ? error.body.data : undefined
  if (!isRejected || !isObject(data)) throw error
  const entries = new Map(Object.entries(data).map(([address, entry]) => [address.toLowerCase(), entry]))
  const prices = new Map<string, TokenPrice | null>()
  for (const address of addresses) {
    const entry = entries.get(address.toLowerCase()) ?? null
    if (entry === null) prices.set(address, null)
    else if (isValidEntry(entry)) prices.set(address, orNull({ ...entry, address }))
  }
  if (prices.size === 0 || prices.size === addresses.length) throw error
  return { prices, credits: error.credits, error }
}

function isValidEntry(entry: unknown): entry is BatchPrice {
  return isObject(entry) && isPriceText(entry.usd) && isPriceText(entry.etn)
}

/** Whether a field of a price has a value that it may have. */
export function isPriceText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string'
}

/** A token without a price is absent from a batch; `token.price` returns it without both fields. */
function orNull(price: TokenPrice | null | undefined): TokenPrice | null {
  return typeof price?.usd === 'string' || typeof price?.etn === 'string' ? price : null
}
