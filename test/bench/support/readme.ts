import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BENCH } from './paths.ts'
import type { Report, Table } from './report.ts'

/** Names of the places for tables. */
type Markers = 'results' | 'economics' | 'fleet' | 'proxy'

/** Replaces the tables between the markers of `name` in `test/bench/README.md`. */
export function writeReadme({ heading, tables }: Report, name: Markers = 'results'): void {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const path = join(BENCH, 'README.md')
  const readme = readFileSync(path, 'utf8')
  const [from, to] = [readme.indexOf(start), readme.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${path} has no ${start} … ${end}.`)
  const text = [start, heading, ...tables.map(markdown), ''].join('\n\n')
  writeFileSync(path, readme.slice(0, from) + text.trimEnd().concat('\n') + readme.slice(to))
}

/** A table in Markdown. */
export function markdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
