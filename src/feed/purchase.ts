import type { Budget } from '../credits/budget.ts'
import { isEtnMarketError } from '../errors/base.ts'
import type { TokenPrice } from '../generated/types.ts'
import type { ApiPromise } from '../method.ts'
import { requestCredits } from './route.ts'
import type { FeedClient } from './types.ts'

/** How a call is sent: once, because the feed repeats it itself, and ends with the feed. */
export interface SendOptions {
  readonly signal: AbortSignal
  readonly retry: false
}

/** Makes one call within a budget, and settles what it cost. */
export async function spend<T>(
  budget: Budget,
  worstCase: number,
  send: () => ApiPromise<T>,
): Promise<{ data: T; credits: number }> {
  const reservation = budget.reserve(worstCase)
  try {
    const { data, meta } = await send().withMeta()
    reservation.settle(meta.credits.charged)
    return { data, credits: meta.credits.charged }
  } catch (error) {
    const charge = isEtnMarketError(error) ? error.charge : 'unknown'
    if (charge === 'none') reservation.release()
    else if (charge === 'charged' && isEtnMarketError(error)) reservation.settle(error.credits)
    else reservation.lose()
    throw error
  }
}

/** What was bought: null for an address without a price. */
export type PriceOf = (address: string) => TokenPrice | null

/** Buys prices: one by `token.price`, several by `prices.batch`. */
export async function buyPrices(
  client: FeedClient,
  budget: Budget,
  addresses: readonly string[],
  options: SendOptions,
): Promise<{ priceOf: PriceOf; credits: number }> {
  const [address = ''] = addresses
  const worstCase = requestCredits(addresses.length)
  if (addresses.length > 1) {
    const { data, credits } = await spend(budget, worstCase, () => client.prices.batch({ addresses }, options))
    return { priceOf: (asked) => orNull(data[asked]), credits }
  }
  try {
    const { data, credits } = await spend(budget, worstCase, () => client.token.price({ address }, options))
    return { priceOf: () => orNull(data), credits }
  } catch (error) {
    // A token that the service does not know has no price either, and to be told so is free.
    if ((error as Partial<Error> | null)?.name !== 'NotFoundError') throw error
    return { priceOf: () => null, credits: 0 }
  }
}

/** A token without a price is absent from a batch, and without both fields alone. */
function orNull(price: TokenPrice | null | undefined): TokenPrice | null {
  if (price === undefined || price === null) return null
  return typeof price.usd === 'string' || typeof price.etn === 'string' ? price : null
}
