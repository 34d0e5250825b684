import { useQuery } from '@tanstack/react-query'
import type { Token } from 'etn-market'
import { usePrices } from 'etn-market/react'
import { useState } from 'react'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { Switch } from '../parts/Switch.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { TOKEN_LIMITS } from '../purchases.ts'
import { TokenRow } from './TokenRow.tsx'

/** Listed tokens with live prices. */
export function Tokens() {
  const { queries } = useMarket()
  const [limit, setLimit] = useState<(typeof TOKEN_LIMITS)[number]>(TOKEN_LIMITS[0])
  const listQuery = queries.token.list({ limit })
  const tokens = useQuery(listQuery)
  return (
    <>
      <ViewHeader title="Tokens">
        The list is bought once. The proxy buys live prices once for all visitors and streams them, so that they cost
        you nothing.
      </ViewHeader>
      <Switch
        label="Rows"
        values={TOKEN_LIMITS}
        value={limit}
        onChange={setLimit}
        buys={(each) => [queries.token.list({ limit: each })]}
      />
      <Loaded query={tokens} buys={[listQuery]}>
        {(list) => <TokenTable tokens={list} />}
      </Loaded>
    </>
  )
}

function TokenTable({ tokens }: { tokens: readonly Token[] }) {
  const { feed } = useMarket()
  const [filter, setFilter] = useState('')
  const [error, setError] = useState<unknown>()
  const addresses = tokens.map(({ address }) => address)
  const prices = usePrices(feed, addresses, { everyMs: PRICE_EVERY_MS, onError: setError })
  const isLive = tokens.some(({ address }) => prices[address]?.stale === false)
  const wanted = filter.trim().toLowerCase()
  const shown = tokens.filter(({ symbol, name, address }) =>
    `${symbol} ${name} ${address}`.toLowerCase().includes(wanted),
  )
  return (
    <section className="card table-card" aria-label="Tokens with live prices">
      <div className="toolbar">
        <input
          type="search"
          aria-label="Filter by name, symbol or address"
          placeholder="Name, symbol or address"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span className={`live ${isLive ? '' : 'live-off'}`}>
          {isLive ? 'Live' : error === undefined ? 'Connecting' : 'Prices are delayed'}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title="No token has this name">Clear the filter, or show more rows.</Empty>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col" className="number">
                Price
              </th>
              <th scope="col" className="number wide">
                In ETN
              </th>
              <th scope="col" className="number wide">
                Market value
              </th>
              <th scope="col" className="number">
                Chart
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((token) => (
              <TokenRow key={token.address} token={token} price={prices[token.address]} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
