import type { Token } from 'etn-market'
import { usePrices } from 'etn-market/react'
import { useMemo, useState } from 'react'
import { ColumnCost } from '../credits/ColumnCost.tsx'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { formatTime } from '../parts/format.ts'
import { Empty, Loading } from '../parts/Loaded.tsx'
import { SortHeader } from '../parts/SortHeader.tsx'
import { useFirstPrices } from '../prices/first-prices.ts'
import { queriesOf } from '../purchases.ts'
import { TokenRow } from './TokenRow.tsx'
import { figuresOf, nextSort, type Sort, type SortKey, sortFigures, type TokenFigures } from './token-figures.ts'

const FIRST_SORT: Sort = { key: 'value', direction: 'descending' }

/** Tokens with live prices. A press of a heading sorts them. */
export function TokenTable({ tokens, filter }: { tokens: readonly Token[]; filter: string }) {
  const { prices: history, queries } = useMarket()
  const [sort, setSort] = useState(FIRST_SORT)
  const addresses = tokens.map(({ address }) => address)
  const prices = usePrices(history.source, addresses, { everyMs: PRICE_EVERY_MS })
  const rows = tokens.map((token) => figuresOf(token, prices[token.address], history.pointsOf(token.address)))
  const isComplete = rows.every(({ price }) => price !== undefined)
  const isShown = useFirstPrices(isComplete)
  const shown = useSteadyOrder(rows, sort, isComplete).filter(({ token }) => isFound(token, filter))
  if (!isShown) return <Loading of="rows" count={rows.length} />
  if (shown.length === 0)
    return <Empty title="No token has this name, symbol or address">Clear the filter, or show more rows.</Empty>

  const sortedBy = (key: SortKey) => ({
    direction: sort.key === key ? sort.direction : undefined,
    onSort: () => setSort(nextSort(sort, key)),
  })
  return (
    <div className="table-scroll">
      <table className="token-table">
        <thead>
          <tr>
            <SortHeader
              {...sortedBy('symbol')}
              note={<ColumnCost of={queriesOf('candles', queries)}>Chart:</ColumnCost>}
            >
              Token
            </SortHeader>
            <SortHeader {...sortedBy('usd')} className="number">
              Price
            </SortHeader>
            <SortHeader {...sortedBy('change')} className="number" note={<Since rows={rows} />}>
              Change
            </SortHeader>
            <th scope="col" className="trend">
              Trend
            </th>
            <SortHeader {...sortedBy('value')} className="number">
              Market value
            </SortHeader>
            <SortHeader {...sortedBy('etn')} className="number">
              In ETN
            </SortHeader>
            <th scope="col" className="number">
              Address
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((figures) => (
            <TokenRow key={figures.token.address} figures={figures} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** When the period of the changes begins: with the first price that the page received. */
function Since({ rows }: { rows: readonly TokenFigures[] }) {
  const first = Math.min(...rows.flatMap(({ points }) => points.slice(0, 1).map(({ at }) => at)))
  return (
    <small className="since">{Number.isFinite(first) ? `since ${formatTime(new Date(first))}` : 'since now'}</small>
  )
}

/** Sorts the rows when all have their first prices, and when the visitor does. Rows that moved with each price could not be read. */
function useSteadyOrder(rows: readonly TokenFigures[], sort: Sort, isComplete: boolean): readonly TokenFigures[] {
  const listed = rows.map(({ token }) => token.address).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the figures change with each price
  const order = useMemo(() => sortFigures(rows, sort).map(({ token }) => token.address), [listed, sort, isComplete])
  const byAddress = new Map(rows.map((row) => [row.token.address, row]))
  return order.flatMap((address) => byAddress.get(address) ?? [])
}

function isFound({ symbol, name, address }: Token, filter: string): boolean {
  return `${symbol} ${name} ${address}`.toLowerCase().includes(filter.trim().toLowerCase())
}
