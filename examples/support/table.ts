/** The lines of a table: rows under headings, each column as wide as its widest cell. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(headings), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)]
}

/** Prints rows under headings. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const line of formatTable(headings, rows)) console.log(line)
}
