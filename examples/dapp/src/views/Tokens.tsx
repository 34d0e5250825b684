import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMarket } from '../market.ts'
import { SearchIcon } from '../parts/icons.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Switch } from '../parts/Switch.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { LiveState } from '../prices/LiveState.tsx'
import { TOKEN_LIMITS } from '../purchases.ts'
import { TokenTable } from './TokenTable.tsx'

/** Listed tokens with live prices. */
export function Tokens() {
  const { queries } = useMarket()
  const [limit, setLimit] = useState<(typeof TOKEN_LIMITS)[number]>(TOKEN_LIMITS[0])
  const [filter, setFilter] = useState('')
  const query = queries.token.list({ limit })
  const tokens = useQuery(query)
  return (
    <>
      <ViewHeader title="Tokens">
        You buy the list once. The prices are streamed: the proxy buys them for everybody who looks at them.
      </ViewHeader>
      <section className="card table-card" aria-label="Tokens with live prices">
        <div className="toolbar">
          <label className="search">
            <SearchIcon />
            <input
              type="search"
              aria-label="Filter by name, symbol or address"
              placeholder="Name, symbol or address"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
          </label>
          <Switch
            label="Rows"
            values={TOKEN_LIMITS}
            value={limit}
            onChange={setLimit}
            buys={(each) => [queries.token.list({ limit: each })]}
          />
          <LiveState />
        </div>
        <Loaded query={tokens} loading={{ of: 'rows', count: limit }} buys={[query]}>
          {(list) => <TokenTable key={limit} tokens={list} filter={filter} />}
        </Loaded>
      </section>
    </>
  )
}
