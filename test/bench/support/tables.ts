import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { BENCH } from './processes.ts'

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Replaces the tables between the markers of `name` in `test/bench/README.md`. */
export function writeReadme(
  { heading, tables }: { readonly heading: string; readonly tables: readonly Table[] },
  name: 'calls' | 'economics' | 'fleet' | 'proxy',
): void {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const path = join(BENCH, 'README.md')
  const readme = readFileSync(path, 'utf8')
  const [from, to] = [readme.indexOf(start), readme.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${path} has no ${start} … ${end}.`)
  const text = [start, heading, ...tables.map(markdown), ''].join('\n\n')
  writeFileSync(path, readme.slice(0, from) + text.trimEnd().concat('\n') + readme.slice(to))
}

function markdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

/** Marks a figure that misses its target. */
export const markMissed = (figure: string, isMet: boolean): string => (isMet ? figure : `${figure} ✗`)

/** The day and the machine of a run. */
export const thisMachine = (): string =>
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`

/** The median and the quartiles. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export function spreadOf(list: readonly number[]): Spread {
  const sorted = list.toSorted((a, b) => a - b)
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN]
    return below + (above - below) * (place % 1)
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

export const showSpread = ({ median, low, high }: Spread, digits: number): string =>
  `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`

/** One round: measures all names once. The order changes with each round, so that a slow minute affects all of them. */
export async function measureRound<Name extends string, Figure>(
  names: readonly Name[],
  round: number,
  measure: (name: Name) => Promise<Figure>,
): Promise<Record<Name, Figure>> {
  const start = round % names.length
  const figures: [Name, Figure][] = []
  for (const name of [...names.slice(start), ...names.slice(0, start)]) figures.push([name, await measure(name)])
  return Object.fromEntries(figures) as Record<Name, Figure>
}
