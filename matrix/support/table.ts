import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './project.ts'
import type { Result } from './result.ts'

const [START, END] = ['<!-- matrix:start -->', '<!-- matrix:end -->']
const HEAD = [
  '| Runtime | Version | Credits | Uncertain | Requests | Resent | ms | Exit, ms |',
  '|---|---|---:|---:|---:|---:|---:|---:|',
]

const BEFORE = [
  '`npm run test:matrix` installs the packed tarball elsewhere and makes one journey against the fake on every runtime: all 20 operations,',
  'a batch of 120, a `Retry-After`, a refusal, an abort, a lost answer, a wrong one, `close()`, and an end of the process by itself. It also',
  'checks the types with TypeScript 5.6 to 7, builds a page with Vite, webpack, esbuild and rollup, and runs one suite with msw 2 and 3.',
]
const AFTER = [
  'Resent: a browser sends a request again by itself when a connection breaks that was open before. No page can see or prevent it, so there',
  'a lost answer may have been charged more often than the client knows. Bun and Deno do the same, but for the client, which asks for a',
  'connection of its own each time.',
]

/** Puts the table of a whole run into the README. */
export function writeTable(results: readonly Result[]): void {
  const rows = results.filter(({ cells }) => cells !== undefined).map(({ cells }) => `| ${cells?.join(' | ')} |`)
  const path = join(ROOT, 'README.md')
  const readme = readFileSync(path, 'utf8')
  const [from, to] = [readme.indexOf(START), readme.indexOf(END)]
  if (from === -1 || to < from) throw new Error(`README.md has no ${START} … ${END}.`)
  const table = [START, ...BEFORE, '', ...HEAD, ...rows, '', ...AFTER, ''].join('\n')
  writeFileSync(path, readme.slice(0, from) + table + readme.slice(to))
}
