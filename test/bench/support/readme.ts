import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BENCH } from './paths.ts'
import type { Report, Table } from './report.ts'

const [START, END] = ['<!-- results:start -->', '<!-- results:end -->']

/** Replaces the tables in `test/bench/README.md`. */
export function writeReadme({ heading, tables }: Report): void {
  const path = join(BENCH, 'README.md')
  const readme = readFileSync(path, 'utf8')
  const [from, to] = [readme.indexOf(START), readme.indexOf(END)]
  if (from === -1 || to < from) throw new Error(`${path} has no ${START} … ${END}.`)
  const text = [START, heading, ...tables.map(markdown), ''].join('\n\n')
  writeFileSync(path, readme.slice(0, from) + text.trimEnd().concat('\n') + readme.slice(to))
}

function markdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
