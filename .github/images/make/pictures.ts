/** The pictures that are drawn, each from what a simulation or the program does now, or from the results of a bench. */
import { fileURLToPath } from 'node:url'
import { drawDayOfPrices, readDays } from './day-of-prices.ts'
import { drawRecovery, simulateRecovery } from './recovery.ts'
import { drawStretch, simulateStretch } from './stretch.ts'
import { drawTerminal, runPlan } from './terminal.ts'
import { drawTicks, simulateTicks } from './ticks.ts'
import { drawVisitors, readBills } from './visitors.ts'

export const IMAGES = fileURLToPath(new URL('..', import.meta.url))

/** The names of the SVG files without their ending, and what draws them. */
export const PICTURES: Readonly<Record<string, () => Promise<string>>> = {
  'day-of-prices': async () => drawDayOfPrices(readDays()),
  terminal: async () => drawTerminal(await runPlan()),
  'recovery-after-429': async () => drawRecovery(await simulateRecovery()),
  'stretch-over-a-day': async () => drawStretch(await simulateStretch()),
  'ticks-of-a-feed': async () => drawTicks(await simulateTicks()),
  'one-bill-for-a-thousand-visitors': async () => drawVisitors(await readBills()),
}
