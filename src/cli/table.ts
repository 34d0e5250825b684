import stringWidth from 'string-width'
import { cleanLine } from './text.ts'

/** A column of a table. */
export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Colours the padded cell. */
  style?(cell: string, row: number): string
}

/** The lines of a table: the titles, and a line for each row. Control characters in cells are removed. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  styleTitle: (text: string) => string,
): string[] {
  const cells = rows.map((row) => columns.map((_, index) => cleanLine(row[index] ?? '')))
  const widths = columns.map(({ title }, index) =>
    Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[index] ?? ''))),
  )
  const padded = (text: string, index: number) => {
    const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(text)))
    if (columns[index]?.align === 'right') return space + text
    return index === columns.length - 1 ? text : text + space
  }
  const titles = columns.map(({ title }, index) => styleTitle(padded(title, index)))
  const lines = cells.map((row, at) =>
    row.map((cell, index) => columns[index]?.style?.(padded(cell, index), at) ?? padded(cell, index)),
  )
  return [titles, ...lines].map((line) => line.join('  ').trimEnd())
}
