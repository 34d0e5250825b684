import type { Candle } from 'etn-market'
import { lazy, type ReactNode, Suspense } from 'react'
import { formatPrice } from '../parts/format.ts'
import { Empty } from '../parts/Loaded.tsx'
import type { CandleChoice } from '../purchases.ts'
import { CandleTable } from './CandleTable.tsx'

export const BUCKET_NAMES = { '1m': '1 min', '15m': '15 min', '1h': '1 hour', '4h': '4 hours', '1d': '1 day' } as const

/** The library that draws is loaded with the first chart. */
const CandleChart = lazy(async () => ({ default: (await import('./CandleChart.tsx')).CandleChart }))

interface CandleCardProps {
  rows: readonly Candle[]
  symbol: string
  choice: CandleChoice
  /** What stands beside the caption. */
  children: ReactNode
}

/** Candles as a chart and as a table. */
export function CandleCard({ rows, symbol, choice: { bucket, currency }, children }: CandleCardProps) {
  const newest = rows.at(-1)
  if (newest === undefined) return <Empty title="No trades yet">This token has no candles of this length.</Empty>
  return (
    <>
      <figure className="chart">
        <Suspense fallback={<div className="chart-area bone" />}>
          <CandleChart rows={rows} currency={currency} />
        </Suspense>
        <figcaption>
          <span>
            {symbol} in {currency}, {rows.length} candles of {BUCKET_NAMES[bucket]}. The last one closes at{' '}
            {formatPrice(newest.close, currency)}.
          </span>
          {children}
        </figcaption>
      </figure>
      <CandleTable rows={rows} currency={currency} />
    </>
  )
}
