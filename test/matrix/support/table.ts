import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MATRIX } from './project.ts'
import type { Result } from './result.ts'

const [START, END] = ['<!-- results:start -->', '<!-- results:end -->']
const HEAD = [
  '| Runtime | Version | Credits | Uncertain | Requests | Resent | ms | Exit, ms |',
  '|---|---|---:|---:|---:|---:|---:|---:|',
]

/** Replaces the table in `test/matrix/README.md`. */
export function writeTable(results: readonly Result[]): void {
  const rows = results.filter(({ cells }) => cells !== undefined).map(({ cells }) => `| ${cells?.join(' | ')} |`)
  const path = join(MATRIX, 'README.md')
  const readme = readFileSync(path, 'utf8')
  const [from, to] = [readme.indexOf(START), readme.indexOf(END)]
  if (from === -1 || to < from) throw new Error(`${path} has no ${START} … ${END}.`)
  const table = [START, '', ...HEAD, ...rows, '', ''].join('\n')
  writeFileSync(path, readme.slice(0, from) + table + readme.slice(to))
}
