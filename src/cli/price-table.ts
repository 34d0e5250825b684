import type { FeedPrice } from 'etn-market/feed'
import { formatPrice } from 'etn-market/format'
import { formatChange } from './output.ts'
import type { Colors } from './session.ts'
import type { Column } from './table.ts'
import type { Tokens } from './tokens.ts'

/** A price with its symbol and its change, as `--json` prints it. */
export interface PriceRow extends Pick<FeedPrice, 'address' | 'usd' | 'etn' | 'at' | 'stale'> {
  readonly symbol: string | null
  /** Percent since the first price of this run; null without two prices. */
  readonly changePercent: number | null
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
  const unit = before.usd !== null && after.usd !== null ? 'usd' : 'etn'
  const [from, to] = [before[unit], after[unit]].map(Number) as [number, number]
  return from > 0 && after[unit] !== null ? (100 * (to - from)) / from : null
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
