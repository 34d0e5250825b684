import { useQuery } from '@tanstack/react-query'
import { checksumAddress, isAddress } from 'etn-market'
import { usePrice } from 'etn-market/react'
import { useState } from 'react'
import { CostButton } from '../credits/Cost.tsx'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { Address } from '../parts/Address.tsx'
import { formatCompact, formatPrice } from '../parts/format.ts'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { Switch } from '../parts/Switch.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { LiveState } from '../prices/LiveState.tsx'
import { BOLT, BUCKETS, type CandleChoice, CURRENCIES, candlesQuery, FIRST_CHOICE, tokenQuery } from '../purchases.ts'
import { BUCKET_NAMES, CandleCard } from './CandleCard.tsx'

/** The chart of the token whose address the page's own address has. */
export function Candles({ address = BOLT }: { address: string | undefined }) {
  if (isAddress(address)) return <ChartOf address={checksumAddress(address)} />
  return (
    <>
      <ViewHeader title="Candles" />
      <Empty title="That is not an address">An address has 0x and 40 hex digits. Copy it again.</Empty>
    </>
  )
}

/** Candles of a token, with switches for their length and currency. */
function ChartOf({ address }: { address: string }) {
  const { queries, prices } = useMarket()
  const [choice, setChoice] = useState(FIRST_CHOICE)
  const nameQuery = tokenQuery(queries, address)
  const query = candlesQuery(queries, address, choice)
  const token = useQuery(nameQuery)
  const candles = useQuery(query)
  const price = usePrice(prices.source, candles.data && address, { everyMs: PRICE_EVERY_MS })
  const symbol = token.data?.symbol ?? 'Token'
  const change = (changes: Partial<CandleChoice>) => setChoice({ ...choice, ...changes })
  return (
    <>
      <ViewHeader
        title={token.data ? `${symbol} candles` : 'Candles'}
        aside={
          candles.data && (
            <p className="quote">
              <strong>{price ? formatPrice(price.usd) : <span className="bone bone-cell" />}</strong>
              <LiveState />
            </p>
          )
        }
      >
        {token.data && (
          <>
            {token.data.name}, {formatCompact(token.data.totalSupply)} tokens{' '}
            <Address of={token.data.address} name={symbol} />
          </>
        )}
      </ViewHeader>
      <section className="card table-card" aria-label="Chart">
        <div className="toolbar">
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
          {(rows) => (
            <CandleCard rows={rows} symbol={symbol} choice={choice}>
              <CostButton buys={[query]} className="newer" onClick={() => candles.isStale && void candles.refetch()}>
                {candles.isStale ? 'Newer candles' : 'Candles are new'}
              </CostButton>
            </CandleCard>
          )}
        </Loaded>
      </section>
    </>
  )
}
