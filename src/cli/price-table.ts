import { operations } from 'etn-market'
import type { FeedPrice } from 'etn-market/feed'
import { formatPrice } from 'etn-market/format'
import type { Colors } from './output.ts'
import type { Column } from './table.ts'
import type { Tokens } from './tokens.ts'

/** A price with its symbol and its change, as `--json` prints it. */
export interface PriceRow {
  readonly address: string
  readonly symbol: string | null
  readonly usd: string | null
  readonly etn: string | null
  /** Percent since the first price of this run; null without two prices. */
  readonly changePercent: number | null
  /** When the price was requested, unix milliseconds. */
  readonly at: number
  readonly stale: boolean
}

/** The columns name their currency. */
const PLAIN = { symbol: '', digits: 6, none: '-' }

/** Keeps the first price of each address, and makes the rows of a table of later ones. */
export function createPriceRows(tokens: Tokens): (price: FeedPrice) => PriceRow {
  const first = new Map<string, FeedPrice>()
  return (price) => {
    const { address, usd, etn, at, stale } = price
    const before = first.get(address)
    if (before === undefined) first.set(address, price)
    const symbol = tokens.get(address.toLowerCase())?.symbol ?? null
    return { address, symbol, usd, etn, changePercent: before ? changeOf(before, price) : null, at, stale }
  }
}

/** In USD where both prices have it, else in ETN. */
function changeOf(before: FeedPrice, after: FeedPrice): number | null {
  const inUsd = before.usd !== null && after.usd !== null
  const [from, to] = inUsd ? [Number(before.usd), Number(after.usd)] : [Number(before.etn), Number(after.etn)]
  return from > 0 && (inUsd || (before.etn !== null && after.etn !== null)) ? (100 * (to - from)) / from : null
}

/** The columns and the cells of a table of prices. The change is shown where `withChange` is true. */
export function tabulatePrices(
  rows: readonly PriceRow[],
  colors: Colors,
  withChange: boolean,
): [columns: Column[], cells: string[][]] {
  const colorOfChange = (cell: string, at: number) => {
    const change = rows[at]?.changePercent ?? 0
    return change > 0 ? colors.green(cell) : change < 0 ? colors.red(cell) : cell
  }
  const columns: Column[] = [
    ...tokenColumns(rows, colors),
    { title: 'USD', align: 'right' },
    { title: 'ETN', align: 'right', dropOrder: 3 },
    ...(withChange ? [{ title: 'change', align: 'right', style: colorOfChange, dropOrder: 1 } as const] : []),
    { title: 'age', align: 'right', dropOrder: 0 },
  ]
  const cells = rows.map((row) => [
    row.symbol ?? '-',
    row.address,
    formatPrice(row.usd, PLAIN),
    formatPrice(row.etn, PLAIN),
    ...(withChange ? [formatChange(row.changePercent)] : []),
    `${Math.max(0, Math.round((Date.now() - row.at) / 1_000))} s${row.stale ? ' !' : ''}`,
  ])
  return [columns, cells]
}

/** The columns for symbols and addresses. Where every token has a symbol of its own, the address is left out first, else the symbol. */
export function tokenColumns(tokens: readonly { readonly symbol: string | null }[], colors: Colors): [Column, Column] {
  const symbols = new Set(tokens.map(({ symbol }) => symbol))
  const areNames = symbols.size === tokens.length && !symbols.has(null)
  return [
    { title: 'symbol', ...(!areNames && { dropOrder: symbols.size === 1 && symbols.has(null) ? 9 : 2 }) },
    { title: 'address', style: colors.dim, ...(areNames && { dropOrder: 9 }) },
  ]
}

/** Such as `+1.25 %`. */
export function formatChange(percent: number | null): string {
  return percent === null ? '-' : `${percent > 0 ? '+' : ''}${percent.toFixed(2)} %`
}

/** The cheapest requests for some prices: batches of 50, and one or two prices alone. */
export function costOfPrices(count: number): number {
  const { base, perItem, maxItems } = operations['prices.batch'].credits
  const rest = count % maxItems
  return Math.floor(count / maxItems) * (base + perItem * maxItems) + Math.min(base + perItem * rest, SINGLE * rest)
}

/** How many requests these are. */
export function countPriceRequests(count: number): number {
  const { base, perItem, maxItems } = operations['prices.batch'].credits
  const rest = count % maxItems
  return Math.floor(count / maxItems) + (base + perItem * rest < SINGLE * rest ? 1 : rest)
}

const SINGLE = operations['token.price'].credits.base
