/** The pictures that are drawn, each from data that a simulation, a bench or the program has written. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { drawDayOfPrices, readDays } from './day-of-prices.ts'
import { drawRecovery, simulateRecovery } from './recovery.ts'
import { drawStretch, simulateStretch } from './stretch.ts'
import { drawTerminal, runPlan } from './terminal.ts'
import { drawVisitors, readBills } from './visitors.ts'

export const IMAGES = fileURLToPath(new URL('..', import.meta.url))

export interface Picture {
  /** The SVG file, without its ending. */
  readonly name: string
  /** Draws what is kept. The same data gives the same text. */
  draw(): Promise<string>
  /** Simulates anew, and keeps the result. */
  refresh(): Promise<void>
}

/** A picture that is made in no time, from what the code does now or from what a bench has written. */
function fresh<Data>(name: string, make: () => Promise<Data>, draw: (data: Data) => string): Picture {
  return { name, draw: async () => draw(await make()), refresh: async () => {} }
}

/** A picture of a longer simulation: its data is a file beside it. */
function kept<Data>(name: string, simulate: () => Promise<Data>, draw: (data: Data) => string): Picture {
  return {
    name,
    draw: async () => draw(readData<Data>(name)),
    refresh: async () => writeFileSync(dataFile(name), `${JSON.stringify(await simulate())}\n`),
  }
}

const dataFile = (name: string) => `${IMAGES}data/${name}.json`

export const readData = <Data>(name: string): Data => JSON.parse(readFileSync(dataFile(name), 'utf8')) as Data

export const PICTURES: readonly Picture[] = [
  fresh('day-of-prices', async () => readDays(), drawDayOfPrices),
  fresh('terminal', runPlan, drawTerminal),
  fresh('recovery-after-429', simulateRecovery, drawRecovery),
  kept('stretch-over-a-day', simulateStretch, drawStretch),
  fresh('one-bill-for-a-thousand-visitors', readBills, drawVisitors),
]
