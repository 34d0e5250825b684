/** What a thousand visitors of a page cost, from the table that `npm run bench -- --only=proxy --write` puts into the bench's README. */
import { readFileSync } from 'node:fs'
import { drawBars, listBars } from './bar-plot.ts'

const README = new URL('../../../test/bench/README.md', import.meta.url)

export interface Bills {
  /** The first cell of the table's head: how many visitors, what they watch, and for how long. */
  readonly demand: string
  readonly rows: readonly { readonly name: string; readonly credits: number }[]
}

/** Reads the first table below `<!-- proxy:start -->`. */
export async function readBills(): Promise<Bills> {
  const [, section = ''] = readFileSync(README, 'utf8').split('<!-- proxy:start -->')
  const lines = section.split('\n')
  const first = lines.findIndex((each) => each.startsWith('|'))
  const length = lines.slice(first).findIndex((each) => !each.startsWith('|'))
  const [head = [], , ...rows] = lines
    .slice(first, first + length)
    .map((each) => each.split('|').map((cell) => cell.trim()))
  return {
    demand: head[1] ?? '',
    rows: rows.map((cells) => ({ name: cells[1] ?? '', credits: Number(cells[2]?.replaceAll(',', '')) })),
  }
}

/** The rows of the table that are drawn, each found by what its name begins with. */
const BARS: readonly (readonly [begin: string, className: string, label: string, detail: string])[] = [
  ['a client each', 'c', 'A client each', 'with the same feed, for each visitor'],
  ['through the proxy', 'b', 'Calls through the proxy', 'each answer is bought once'],
  ['through the stream', 'a', 'The stream of the proxy', 'one feed for everybody'],
  ['one page', 'c', 'For comparison', 'one visitor alone'],
]

const CREDITS_PER_DOLLAR = 1_000_000

export function drawVisitors({ demand, rows }: Bills): string {
  const subject = demand.replace(/;.*$/, '')
  const bars = BARS.map(([begin, className, label, detail]) => ({
    className,
    label,
    detail,
    credits: rows.find(({ name }) => name.startsWith(begin))?.credits ?? Number.NaN,
  }))
  return drawBars({
    title: 'One bill for a thousand visitors',
    subject,
    description: `${subject}, simulated. ${listBars(bars)}.`,
    bars,
    left: 300,
    right: 160,
    formatMoney: (credits) => `$${(credits / CREDITS_PER_DOLLAR).toFixed(credits < CREDITS_PER_DOLLAR ? 3 : 2)}`,
  })
}
