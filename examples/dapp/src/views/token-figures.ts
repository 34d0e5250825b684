import type { Token } from 'etn-market'
import type { FeedPrice } from 'etn-market/feed'
import type { PricePoint } from '../prices/price-history.ts'

/** What a row of the list of tokens shows. */
export interface TokenFigures {
  readonly token: Token
  readonly price: FeedPrice | undefined
  /** Received prices, oldest first. */
  readonly points: readonly PricePoint[]
  /** Undefined without a price, and so are the others. */
  readonly usd: number | undefined
  /** The share by which the price has changed since the first one that the page received. */
  readonly change: number | undefined
  readonly value: number | undefined
}

export function figuresOf(token: Token, price: FeedPrice | undefined, points: readonly PricePoint[]): TokenFigures {
  const usd = typeof price?.usd === 'string' ? Number(price.usd) : undefined
  const first = points[0]?.usd
  return {
    token,
    price,
    points,
    usd,
    change: usd === undefined || first === undefined || first === 0 ? undefined : usd / first - 1,
    value: usd === undefined ? undefined : usd * token.totalSupply,
  }
}

/** The columns that sort. */
export type SortKey = 'symbol' | 'usd' | 'change' | 'value' | 'etn'

export interface Sort {
  readonly key: SortKey
  readonly direction: 'ascending' | 'descending'
}

/** A press of a column's heading: the highest figures first, or names from A; pressed again, the other way round. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  const first = key === 'symbol' ? 'ascending' : 'descending'
  const other = first === 'ascending' ? 'descending' : 'ascending'
  return { key, direction: sort.key === key && sort.direction === first ? other : first }
}

/** The rows in order. Those without the figure come last, in both directions. */
export function sortFigures(rows: readonly TokenFigures[], { key, direction }: Sort): TokenFigures[] {
  const sign = direction === 'ascending' ? 1 : -1
  return [...rows].sort((one, other) => {
    if (key === 'symbol') return sign * one.token.symbol.localeCompare(other.token.symbol, 'en', { numeric: true })
    const [left, right] = [figureOf(one, key), figureOf(other, key)]
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined)
    return sign * (left - right)
  })
}

function figureOf(row: TokenFigures, key: Exclude<SortKey, 'symbol'>): number | undefined {
  if (key !== 'etn') return row[key]
  const etn = row.price?.etn
  return typeof etn === 'string' ? Number(etn) : undefined
}
