import { useQuery } from '@tanstack/react-query'
import { checksumAddress, isAddress } from 'etn-market'
import { usePrice } from 'etn-market/react'
import { useState } from 'react'
import { CostButton } from '../credits/Cost.tsx'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { Address } from '../parts/Address.tsx'
import { AddressForm } from '../parts/AddressForm.tsx'
import { isFinal } from '../parts/Failure.tsx'
import { formatCompact, formatPrice } from '../parts/format.ts'
import { Loaded } from '../parts/Loaded.tsx'
import { isolate, Name, nameOf } from '../parts/names.tsx'
import { Switch } from '../parts/Switch.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { LiveState } from '../prices/LiveState.tsx'
import {
  BOLT,
  BUCKETS,
  type CandleChoice,
  CURRENCIES,
  candlesQuery,
  EXAMPLE_TOKENS,
  FIRST_CHOICE,
  queriesOf,
  tokenQuery,
} from '../purchases.ts'
import { BUCKET_NAMES, CandleCard } from './CandleCard.tsx'

/** The chart of the token whose address the page's own address has. */
export function Candles({ address = BOLT }: { address: string | undefined }) {
  if (isAddress(address)) return <ChartOf key={address} address={checksumAddress(address)} />
  return (
    <>
      <ViewHeader title="Candles" />
      <TokenForm address={address} />
    </>
  )
}

/** Leads from an address without a chart to one that has it. */
function TokenForm({ address }: { address: string }) {
  const { queries } = useMarket()
  return (
    <AddressForm
      view="candles"
      current={address}
      label="Address of a token"
      action="Show the chart"
      examples={EXAMPLE_TOKENS}
      buys={(each) => queriesOf('candles', queries, each)}
    />
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
  const symbol = token.data && nameOf(token.data.symbol, address)
  const hasChart = candles.data !== undefined || candles.isFetching
  const change = (changes: Partial<CandleChoice>) => setChoice({ ...choice, ...changes })
  return (
    <>
      <ViewHeader
        title={symbol ? `${isolate(symbol)} candles` : 'Candles'}
        heading={
          symbol && (
            <>
              <Name>{symbol}</Name> candles
            </>
          )
        }
        aside={
          hasChart && (
            <p className="quote">
              <strong>{price ? formatPrice(price.usd) : <span className="bone" />}</strong>
              <LiveState />
            </p>
          )
        }
      >
        {token.data && symbol ? (
          <>
            <Name>{nameOf(token.data.name, address)}</Name>, {formatCompact(token.data.totalSupply)} tokens{' '}
            <Address of={address} name={symbol} />
          </>
        ) : (
          hasChart && <span className="bone bone-line" />
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
        <Loaded query={candles} loading={{ of: 'chart', count: 1 }} buys={[query]}>
          {(rows) => (
            <CandleCard rows={rows} price={price} symbol={symbol ?? 'Token'} choice={choice}>
              <CostButton buys={[query]} className="newer" onClick={() => candles.isStale && void candles.refetch()}>
                {candles.isStale ? 'Newer candles' : 'Candles are new'}
              </CostButton>
            </CandleCard>
          )}
        </Loaded>
      </section>
      {candles.error && isFinal(candles.error) && <TokenForm address={address} />}
    </>
  )
}
