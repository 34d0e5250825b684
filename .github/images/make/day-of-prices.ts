/** What a day of prices costs, from the results of `npm run bench -- --only=economics --write`. */
import { readFileSync } from 'node:fs'
import { DAYS_FILE, type DaysResult, type StrategyName } from '../../../test/bench/economics/days.ts'
import { count, element, MARGIN, text, toSvg } from './svg.ts'

const BARS: readonly (readonly [key: StrategyName, className: string, label: string, detail: string])[] = [
  ['onePerLookUp', 'c', 'Plain polling', 'one token.price for each price'],
  ['onePerConsumer', 'c', 'Polling in batches', 'one batch each, and a cache of 90 s'],
  ['feed', 'a', 'The feed', 'buys each price once for everybody'],
  ['online', 'b', 'Lower bound', 'with every watch known in advance'],
]

const WIDTH = 840
const LEFT = 330
const ROW = 56
const TOP = 86
const BAR = 30
const CREDITS_PER_CENT = 10_000

export const readDays = (): DaysResult => JSON.parse(readFileSync(DAYS_FILE, 'utf8')) as DaysResult

export function drawDayOfPrices({ rows, days }: DaysResult): string {
  const creditsOf = (key: StrategyName) => rows.find((row) => row.key === key)?.credits ?? Number.NaN
  const most = Math.max(...BARS.map(([key]) => creditsOf(key)))
  const widthOf = (credits: number) => ((WIDTH - LEFT - 170) * credits) / most
  const bars = BARS.flatMap(([key, className, label, detail], index) => {
    const credits = creditsOf(key)
    const y = TOP + index * ROW
    const width = widthOf(credits)
    return [
      text({ x: LEFT - 16, y: y + 12, class: 'strong', 'text-anchor': 'end' }, label),
      text({ x: LEFT - 16, y: y + 29, 'text-anchor': 'end' }, detail),
      element('rect', { class: className, x: LEFT, y: y + 1, width, height: BAR, rx: 3 }),
      text({ x: LEFT + width + 10, y: y + 14, class: 'strong' }, `${count(credits)} credits`),
      text({ x: LEFT + width + 10, y: y + 30 }, `${(credits / CREDITS_PER_CENT).toFixed(1)} US cents`),
    ]
  })
  const list = BARS.map(([key, , label]) => `${label}: ${count(creditsOf(key))} credits`).join('. ')
  return toSvg({
    width: WIDTH,
    height: TOP + BARS.length * ROW + 14,
    title: 'What a day of prices costs',
    description: `${list}. Mean of ${days} simulated days.`,
    parts: [
      text(
        { x: MARGIN, y: 58 },
        'A page, alerts on 14 tokens, a swap and 40 looks at a portfolio; the same freshness for all',
      ),
      ...bars,
    ],
  })
}
