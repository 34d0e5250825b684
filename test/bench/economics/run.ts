/** Compares the credits, requests and CPU time of the price feed with those of simpler strategies. */
import { printTable } from '../../../examples/support/table.ts'
import { writeReadme } from '../support/readme.ts'
import * as bursts from './bursts.ts'
import { compareShapes } from './compare-shapes.ts'
import { mean, measureDays, type StrategyName, writeDays } from './days.ts'
import { manyWatchers } from './many-watchers.ts'
import { tokenAddresses } from './strategies.ts'
import { worstWorkloads } from './worst-workload.ts'

/** Half of them are variations of the worst so far. */
const RANDOM_WORKLOADS = 2_000

const count = (value: number) => Math.round(value).toLocaleString('en-US')
const percent = (value: number) => `${(100 * value).toFixed(1)} %`

async function compareDays(): Promise<void> {
  const results = await measureDays()
  const { rows, overOnline, overOffline } = results
  const creditsOf = (key: StrategyName) => rows.find((row) => row.key === key)?.credits ?? 0
  const perConsumer = creditsOf('onePerConsumer')
  console.log(`1. A day of a page, alerts, a swap watcher and 40 portfolio views; mean of ${results.days} days\n`)
  printTable(
    ['', 'credits', 'requests', 'of one batch per consumer'],
    rows.map(({ name, credits, requests }) => [
      name,
      count(credits),
      requests === undefined ? '' : count(requests),
      percent(credits / perConsumer),
    ]),
  )
  console.log(
    `\nover the lower bound            ${percent(mean(overOnline))} (highest ${percent(Math.max(...overOnline))})   target 5 %`,
  )
  console.log(`over the bound in advance       ${percent(mean(overOffline))}`)
  console.log(`of one batch per consumer       ${percent(creditsOf('feed') / perConsumer)}   target below 50 %`)
  console.log(
    `  No schedule can reach that target: the bound in advance is ${percent(creditsOf('offline') / perConsumer)}.\n`,
  )
  if (process.argv.includes('--write')) writeDays(results)
}

async function compareBursts(): Promise<void> {
  const tokens = await tokenAddresses(200)
  const rows = [
    ['one request per look-up', await bursts.onePerLookUp(tokens)],
    ['dataloader and batch', await bursts.withDataLoader(tokens)],
    ['the feed', await bursts.withFeed(tokens)],
  ] as const
  console.log('2. 1,000 look-ups of 200 tokens in 20 bursts, 10 ms apart; a response takes 80 ms\n')
  printTable(
    ['', 'requests', 'credits', 'wall time'],
    rows.map(([name, { requests, credits, wallMs }]) => [name, count(requests), count(credits), `${wallMs} ms`]),
  )
}

async function measureManyWatchers(): Promise<void> {
  const rows: string[][] = []
  // A warm-up.
  await manyWatchers(1_000, 200)
  for (const tokens of [500, 2_000, 8_000]) {
    const result = await manyWatchers(5 * tokens, tokens)
    rows.push([
      count(5 * tokens),
      count(tokens),
      `${result.cpuSecondsPerDay.toFixed(1)} s`,
      `${result.cpuMicrosecondsPerPurchase.toFixed(1)} µs`,
      `${result.heapMB.toFixed(1)} MB`,
      count(result.creditsPerDay),
      count(result.onePerConsumer),
    ])
  }
  console.log('\n3. Watchers with intervals from 10 s to 1 h\n')
  printTable(['watchers', 'tokens', 'CPU a day', 'CPU a price', 'heap', 'credits a day', 'one call per consumer'], rows)
}

async function compareManyShapes(): Promise<void> {
  const tables = await compareShapes()
  console.log('\n4. Shapes of demand\n')
  for (const { head, rows } of tables) {
    printTable(head, rows)
    console.log()
  }
  const { staying, leaving } = await worstWorkloads(RANDOM_WORKLOADS)
  const worst = {
    head: [`the worst of ${count(RANDOM_WORKLOADS)} random workloads`, 'over the cheapest strategy'],
    rows: [staying, leaving].map(({ description, ratio }) => [description, ratio.toFixed(3)]),
  }
  tables.push(worst)
  printTable(worst.head, worst.rows)
  const heading =
    'Watches of 5 minutes unless the row says more. In brackets, where a figure is above its goal: the cost of the best schedule found ' +
    'that knows everything in advance, over the same lower bound. ✗ is above the goal: 1.10, with look-ups 1.25, or 1.03 times the figure ' +
    'in brackets. Over the cheapest strategy the goal is 1.00, and 1.02 where watches leave or look-ups come: there the figure is the mean of ' +
    'five random workloads.'
  if (process.argv.includes('--write')) writeReadme({ heading, tables }, 'economics')
}

await compareDays()
await compareBursts()
await measureManyWatchers()
await compareManyShapes()
