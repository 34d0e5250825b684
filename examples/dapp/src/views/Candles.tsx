import { useQuery } from '@tanstack/react-query'
import type { Candle } from 'etn-market'
import { usePrice } from 'etn-market/react'
import { useState } from 'react'
import { CostButton } from '../credits/Cost.tsx'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { formatCompact, formatPrice } from '../parts/format.ts'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { Switch } from '../parts/Switch.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { BOLT, BUCKETS, type CandleChoice, CURRENCIES, candlesQuery, FIRST_CHOICE, tokenQuery } from '../purchases.ts'
import { CandleChart } from './CandleChart.tsx'
import { CandleTable } from './CandleTable.tsx'

const BUCKET_NAMES = { '1m': '1 min', '15m': '15 min', '1h': '1 hour', '4h': '4 hours', '1d': '1 day' } as const

/** Candles of a token, with switches for their length and currency. */
export function Candles({ address = BOLT }: { address: string | undefined }) {
  const { queries, feed } = useMarket()
  const [choice, setChoice] = useState(FIRST_CHOICE)
  const nameQuery = tokenQuery(queries, address)
  const query = candlesQuery(queries, address, choice)
  const token = useQuery(nameQuery)
  const candles = useQuery(query)
  const price = usePrice(feed, address, { everyMs: PRICE_EVERY_MS })
  const symbol = token.data?.symbol ?? 'Token'
  const change = (changes: Partial<CandleChoice>) => setChoice({ ...choice, ...changes })
  return (
    <>
      <ViewHeader title={token.data ? `${symbol} candles` : 'Candles'}>
        {token.data ? `${token.data.name}, ${formatCompact(token.data.totalSupply)} tokens` : 'The name is on its way.'}
        {price && ` · now ${formatPrice(price.usd)}`}
      </ViewHeader>
      <div className="controls">
        <Switch
          label="Candle"
          values={BUCKETS}
          value={choice.bucket}
          nameOf={(bucket) => BUCKET_NAMES[bucket]}
          onChange={(bucket) => change({ bucket })}
          buys={(bucket) => [candlesQuery(queries, address, { ...choice, bucket })]}
        />
        <Switch
          label="Currency"
          values={CURRENCIES}
          value={choice.currency}
          onChange={(currency) => change({ currency })}
          buys={(currency) => [candlesQuery(queries, address, { ...choice, currency })]}
        />
      </div>
      <Loaded query={candles} buys={[query]}>
        {(rows) => <CandleCard rows={rows} symbol={symbol} choice={choice} />}
      </Loaded>
      {candles.data && (
        <p className="below">
          <CostButton buys={[query]} onClick={() => candles.isStale && void candles.refetch()}>
            Newer candles
          </CostButton>
          <span className="hint">Candles stay fresh for 30 seconds; until then there is nothing to buy.</span>
        </p>
      )}
    </>
  )
}

interface CandleCardProps {
  rows: readonly Candle[]
  symbol: string
  choice: CandleChoice
}

function CandleCard({ rows, symbol, choice: { bucket, currency } }: CandleCardProps) {
  const newest = rows.at(-1)
  if (newest === undefined) return <Empty title="No trades yet">This token has no candles of this length.</Empty>
  return (
    <div className="card">
      <figure className="chart">
        <CandleChart rows={rows} currency={currency} />
        <figcaption>
          {symbol} in {currency}, {rows.length} candles of {BUCKET_NAMES[bucket]}. The last one closes at{' '}
          {formatPrice(newest.close, currency)}.
        </figcaption>
      </figure>
      <CandleTable rows={rows} currency={currency} />
    </div>
  )
}
