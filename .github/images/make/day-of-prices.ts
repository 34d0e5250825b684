/** What a day of prices costs, from the results of `npm run bench -- --only=economics --write`. */
import { readFileSync } from 'node:fs'
import { DAYS_FILE, type DaysResult, type StrategyName } from '../../../test/bench/economics/days.ts'
import { drawBars, listBars } from './bar-plot.ts'

const BARS: readonly (readonly [key: StrategyName, className: string, label: string, detail: string])[] = [
  ['onePerLookUp', 'c', 'Plain polling', 'one token.price for each price'],
  ['onePerConsumer', 'c', 'Polling in batches', 'one batch each, and a cache of 90 s'],
  ['feed', 'a', 'The feed', 'buys each price once for everybody'],
  ['online', 'b', 'Lower bound', 'with every watch known in advance'],
]

const CREDITS_PER_CENT = 10_000

export const readDays = (): DaysResult => JSON.parse(readFileSync(DAYS_FILE, 'utf8')) as DaysResult

export function drawDayOfPrices({ rows, days }: DaysResult): string {
  const bars = BARS.map(([key, className, label, detail]) => ({
    className,
    label,
    detail,
    credits: rows.find((row) => row.key === key)?.credits ?? Number.NaN,
  }))
  return drawBars({
    title: 'What a day of prices costs',
    subject: 'A page, alerts on 14 tokens, a swap and 40 looks at a portfolio; the same freshness for all',
    description: `${listBars(bars)}. Mean of ${days} simulated days.`,
    bars,
    left: 330,
    right: 170,
    formatMoney: (credits) => `${(credits / CREDITS_PER_CENT).toFixed(1)} US cents`,
  })
}
