import type { Candle } from 'etn-market'
import type { FeedPrice } from 'etn-market/feed'
import { lazy, type ReactNode, Suspense } from 'react'
import { formatPrice } from '../parts/format.ts'
import { Empty } from '../parts/Loaded.tsx'
import { Name } from '../parts/names.tsx'
import type { CandleChoice } from '../purchases.ts'
import { CandleTable } from './CandleTable.tsx'
import { continueCandles } from './live-candle.ts'

export const BUCKET_NAMES = { '1m': '1 min', '15m': '15 min', '1h': '1 hour', '4h': '4 hours', '1d': '1 day' } as const

/** The library that draws is loaded with the first chart. */
const CandleChart = lazy(async () => ({ default: (await import('./CandleChart.tsx')).CandleChart }))

interface CandleCardProps {
  rows: readonly Candle[]
  /** The live price, which the newest candle continues to. */
  price: FeedPrice | undefined
  symbol: string
  choice: CandleChoice
  /** What stands beside the caption. */
  children: ReactNode
}

/** Candles as a chart and as a table. */
export function CandleCard({ rows, price, symbol, choice, children }: CandleCardProps) {
  const { bucket, currency } = choice
  const live = continueCandles(rows, price, choice)
  const newest = live ?? rows.at(-1)
  if (newest === undefined) return <Empty title="No trades yet">This token has no candles of this length.</Empty>
  return (
    <>
      <figure className="chart">
        <Suspense fallback={<div className="chart-area bone" />}>
          <CandleChart rows={rows} live={live} currency={currency} />
        </Suspense>
        <figcaption>
          <span>
            <Name>{symbol}</Name> in {currency}, {rows.length} candles of {BUCKET_NAMES[bucket]}.{' '}
            {live ? 'The last one is at' : 'The last one closes at'}{' '}
            <span className="last-price">{formatPrice(newest.close, currency)}</span>.
          </span>
          {children}
        </figcaption>
      </figure>
      <CandleTable rows={rows} currency={currency} />
    </>
  )
}
