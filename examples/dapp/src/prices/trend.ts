import type { QueryClient } from '@tanstack/react-query'
import type { EtnQueries } from 'etn-market/tanstack-query'
import { BUCKETS, candlesQuery } from '../purchases.ts'
import type { PricePoint } from './price-history.ts'

/** What a sparkline shows. */
export interface Trend {
  readonly points: readonly PricePoint[]
  /** Whether the points are closes of candles that the visitor has bought, which reach back further than the page. */
  readonly isOfCandles: boolean
}

/** The trend of a token from what the page has: candles of its chart if they were bought, else the prices that it has received. */
export function trendOf(
  address: string,
  received: readonly PricePoint[],
  { queries, queryClient }: { queries: EtnQueries; queryClient: QueryClient },
): Trend {
  for (const bucket of BUCKETS) {
    const { queryKey } = candlesQuery(queries, address, { bucket, currency: 'USD' })
    const candles = queryClient.getQueryData(queryKey)
    if (candles === undefined || candles.length < 2) continue
    const closes = candles.map(({ time, close }) => ({ at: time * 1_000, usd: close }))
    // It ends at the price that stands beside it.
    const newer = received.slice(-1).filter(({ at }) => at > (closes.at(-1)?.at ?? 0))
    return { points: [...closes, ...newer], isOfCandles: true }
  }
  return { points: received, isOfCandles: false }
}
