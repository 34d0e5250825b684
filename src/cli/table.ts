import { wrapAnsi } from 'fast-wrap-ansi'
import type { Colors } from 'picocolors/types'
import stringWidth from 'string-width'
import { cleanLine } from '../utils/clean-line.ts'
import type { HostProcess } from './host.ts'
import type { Session } from './session.ts'

type Rows = readonly (readonly string[])[]
type Style = (text: string) => string

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Where a table is too wide, the column with the highest number is left out first; one without a number stays. */
  readonly dropOrder?: number
  /** Colours the padded cell. */
  style?(cell: string, row: number): string
}

/** The columns of the terminal, or of `COLUMNS` where the output is no terminal; without both, a table may have any width. */
export function widthOf({ stdout, env }: Pick<HostProcess, 'stdout' | 'env'>, otherwise = Number.POSITIVE_INFINITY) {
  const columns = stdout.isTTY ? stdout.columns : Number(env.COLUMNS)
  return columns !== undefined && columns > 0 ? columns : otherwise
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

export function printTable({ print, colors, host }: Session, columns: readonly Column[], rows: Rows): void {
  const { lines, notShown } = fitTable(columns, rows, colors.bold, widthOf(host))
  for (const line of [...lines, ...notShown.map(colors.dim)]) print(line)
}

/**
 * The titles of a table, and a line for each row, within a width. Control characters in cells are removed. It leaves columns out, never a
 * part of a cell; where no table fits, each cell has a line. `notShown` names the columns that are left out.
 */
export function fitTable(columns: readonly Column[], rows: Rows, styleTitle: Style, width: number) {
  const all = columns.map((column, index): Cells => {
    const cells = rows.map((row) => cleanLine(row[index] ?? ''))
    return { column, cells, width: Math.max(...[column.title, ...cells].map((text) => stringWidth(text))) }
  })
  const shown = [...all]
  const order = all
    .filter(({ column }) => column.dropOrder !== undefined)
    .sort((one, other) => (other.column.dropOrder ?? 0) - (one.column.dropOrder ?? 0))
  for (const next of order) if (lengthOf(shown) > width) shown.splice(shown.indexOf(next), 1)
  if (lengthOf(shown) > width) return { lines: toRecords(all, rows.length, styleTitle, width), notShown: [] }
  const dropped = all.filter((one) => !shown.includes(one))
  const titles = dropped.map(({ column }) => column.title).join(', ')
  const notShown = titles === '' ? [] : wrap(`Not shown: ${titles}. A wider terminal or --json has it.`, width)
  return { lines: toLines(shown, rows.length, styleTitle), notShown }
}

interface Cells {
  readonly column: Column
  readonly cells: readonly string[]
  readonly width: number
}

const GAP = '  '

/** Lines of at most this width. A word that is wider is broken, a character never. */
const wrap = (text: string, width: number): string[] => wrapAnsi(text, width, { hard: true }).split('\n')

const lengthOf = (columns: readonly Cells[]) =>
  columns.reduce((sum, { width }) => sum + width, 0) + GAP.length * (columns.length - 1)

function toLines(columns: readonly Cells[], count: number, styleTitle: Style): string[] {
  const last = columns.at(-1)
  const padded = (one: Cells, text: string) => {
    const space = ' '.repeat(Math.max(0, one.width - stringWidth(text)))
    if (one.column.align === 'right') return space + text
    return one === last ? text : text + space
  }
  const titles = columns.map((one) => styleTitle(padded(one, one.column.title)))
  const lines = Array.from({ length: count }, (_, row) =>
    columns.map((one) => {
      const cell = padded(one, one.cells[row] ?? '')
      return one.column.style?.(cell, row) ?? cell
    }),
  )
  return [titles, ...lines].map((line) => line.join(GAP).trimEnd())
}

/** A line such as `USD: 0.5` for each cell. A cell that is wider goes on in further lines. */
function toRecords(columns: readonly Cells[], count: number, styleTitle: Style, width: number): string[] {
  return Array.from({ length: count }, (_, row) =>
    columns.flatMap(({ column, cells }) => {
      const title = `${column.title}:`
      const [first = '', ...rest] = wrap(`${title} ${cells[row] ?? ''}`, width)
      return [first.startsWith(title) ? styleTitle(title) + first.slice(title.length) : first, ...rest]
    }),
  ).flatMap((lines, row) => (row === 0 ? lines : ['', ...lines]))
}
