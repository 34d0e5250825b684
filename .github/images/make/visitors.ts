/** What a thousand visitors of a page cost, from the table that `npm run bench -- --only=proxy --write` puts into the bench's README. */
import { readFileSync } from 'node:fs'
import { count, element, MARGIN, text, toSvg } from './svg.ts'

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

const WIDTH = 840
const LEFT = 300
const ROW = 56
const TOP = 86
const BAR = 30
const LABEL = 160
const CREDITS_PER_DOLLAR = 1_000_000

export function drawVisitors({ demand, rows }: Bills): string {
  const creditsOf = (begin: string) => rows.find(({ name }) => name.startsWith(begin))?.credits ?? Number.NaN
  const most = Math.max(...BARS.map(([begin]) => creditsOf(begin)))
  const bars = BARS.flatMap(([begin, className, label, detail], index) => {
    const credits = creditsOf(begin)
    const y = TOP + index * ROW
    // A line at least: on this scale, a thousandth is less than a pixel.
    const width = Math.max(2, ((WIDTH - LEFT - LABEL) * credits) / most)
    return [
      text({ x: LEFT - 16, y: y + 12, class: 'strong', 'text-anchor': 'end' }, label),
      text({ x: LEFT - 16, y: y + 29, 'text-anchor': 'end' }, detail),
      element('rect', { class: className, x: LEFT, y: y + 1, width, height: BAR, rx: Math.min(3, width / 2) }),
      text({ x: LEFT + width + 10, y: y + 14, class: 'strong' }, `${count(credits)} credits`),
      text(
        { x: LEFT + width + 10, y: y + 30 },
        `$${(credits / CREDITS_PER_DOLLAR).toFixed(credits < CREDITS_PER_DOLLAR ? 3 : 2)}`,
      ),
    ]
  })
  const list = BARS.map(([begin, , label]) => `${label}: ${count(creditsOf(begin))} credits`).join('. ')
  return toSvg({
    width: WIDTH,
    height: TOP + BARS.length * ROW + 14,
    title: 'One bill for a thousand visitors',
    description: `${demand.replace(/;.*$/, '')}, simulated. ${list}.`,
    parts: [text({ x: MARGIN, y: 58 }, demand.replace(/;.*$/, '')), ...bars],
  })
}
