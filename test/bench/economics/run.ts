/** Compares the credits, requests and CPU time of the price feed with those of simpler strategies. */
import { printTable } from '../../../examples/support/table.ts'
import { cheapestPlain, drawWorkload, runFeed } from '../../economics/simulate.ts'
import { type Table, writeReadme } from '../support/tables.ts'
import { mean, measureDays, writeDays } from './days.ts'
import { manyWatchers } from './many-watchers.ts'

/** Milliseconds until an answer, and how many workloads are run with it: each takes half a second. */
const LATENCIES = [
  [80, 400],
  [0, 100],
  [1_000, 100],
] as const
const LONGEST = 2 * 3_600_000

const count = (value: number) => Math.round(value).toLocaleString('en-US')
const percent = (value: number) => `${(100 * value).toFixed(1)} %`

async function compareDays(): Promise<void> {
  const results = await measureDays()
  const perConsumer = results.rows.find(({ key }) => key === 'onePerConsumer')?.credits ?? Number.NaN
  console.log(`1. A day of a page, alerts, a swap watcher and 40 portfolio views; mean of ${results.days} days\n`)
  printTable(
    ['', 'credits', 'requests', 'of one batch per consumer'],
    results.rows.map(({ name, credits, requests }) => [
      name,
      count(credits),
      requests === undefined ? '' : count(requests),
      percent(credits / perConsumer),
    ]),
  )
  const highest = percent(Math.max(...results.overOnline))
  console.log(`\nover the lower bound: ${percent(mean(results.overOnline))} (highest ${highest}), target 5 %`)
  if (process.argv.includes('--write')) writeDays(results)
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
  console.log('\n2. Watchers with intervals from 10 s to 1 h\n')
  printTable(['watchers', 'tokens', 'CPU a day', 'CPU a price', 'heap', 'credits a day', 'one call per consumer'], rows)
}

/** Credits of the feed over the cheapest of the plain strategies, for random workloads. */
async function compareWorkloads(): Promise<Table> {
  const rows: string[][] = []
  for (const hasOwnIntervals of [true, false])
    for (const [latencyMs, workloads] of LATENCIES) {
      const ratios: number[] = []
      const overInstant: number[] = []
      for (let seed = 0; seed < workloads; seed++) {
        const workload = drawWorkload(seed, LONGEST, hasOwnIntervals)
        const credits = await runFeed(workload, latencyMs)
        ratios.push(credits / cheapestPlain(workload, latencyMs))
        overInstant.push(credits / cheapestPlain(workload, 0))
      }
      const at = (share: number, of = ratios) =>
        (of.toSorted((one, other) => one - other)[Math.floor(share * (of.length - 1))] ?? 0).toFixed(3)
      rows.push([
        `${workloads} with ${hasOwnIntervals ? 'an interval for each watch' : 'up to six intervals'}, ${latencyMs} ms`,
        mean(ratios).toFixed(3),
        at(0.05),
        at(0.5),
        at(0.95),
        at(1),
        `${mean(overInstant).toFixed(3)}, ${at(0.95, overInstant)}, ${at(1, overInstant)}`,
      ])
    }
  const name = 'over the cheapest of six plain strategies: workloads, and answers after'
  return { head: [name, 'mean', '5 %', 'median', '95 %', 'worst', 'over instant: mean, 95 %, worst'], rows }
}

async function compareSchedules(): Promise<void> {
  const table = await compareWorkloads()
  console.log()
  printTable(table.head, table.rows)
  const heading =
    'Random workloads of up to two hours have 1 to 250 tokens, up to 75 watches of 5 s to an hour, and up to 200 look-ups; half of them join and leave. The ' +
    'plain strategies keep the same promise with the same latency: a price is never older than its interval, so it is requested earlier by the ' +
    'time that an answer takes. The last column compares with strategies that are answered at once, whatever the latency of the feed is.'
  if (process.argv.includes('--write')) writeReadme({ heading, tables: [table] }, 'economics')
}

await compareDays()
await measureManyWatchers()
await compareSchedules()
