import { printTable } from '../examples/support/table.ts'
import { forcedBound, prophetBound } from './economics/bound.ts'
import * as bursts from './economics/bursts.ts'
import { crowd } from './economics/crowd.ts'
import { onePerConsumer, onePerLookUp, type Spent, someTokens, withFeed, withLookUps } from './economics/strategies.ts'
import { day } from './economics/workload.ts'

const SEEDS = [1, 2, 3, 4, 5]

const count = (value: number) => Math.round(value).toLocaleString('en-US')
const percent = (value: number) => `${(100 * value).toFixed(1)} %`
const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length

type Run = Record<'alone' | 'second' | 'feed' | 'lookUps', Spent> & Record<'forced' | 'prophet', number>

async function oneDay(): Promise<void> {
  const tokens = await someTokens(50)
  const runs: Run[] = []
  for (const seed of SEEDS) {
    const workload = day(seed, tokens)
    runs.push({
      alone: await onePerLookUp(workload),
      second: await onePerConsumer(workload),
      feed: await withFeed(workload),
      lookUps: await withLookUps(workload),
      forced: forcedBound(workload),
      prophet: prophetBound(workload),
    })
  }
  const second = mean(runs.map((run) => run.second.credits))
  const row = (name: string, credits: readonly number[], requests?: readonly number[]) => [
    name,
    count(mean(credits)),
    requests ? count(mean(requests)) : '',
    percent(mean(credits) / second),
  ]
  const strategy = (name: string, pick: (run: Run) => { credits: number; requests: number }) =>
    row(
      name,
      runs.map((run) => pick(run).credits),
      runs.map((run) => pick(run).requests),
    )
  console.log(`1. A day of a page, alerts, a swap watcher and 40 portfolios; mean of ${SEEDS.length} days\n`)
  printTable(
    ['', 'credits', 'requests', 'of the second'],
    [
      strategy('one token.price per look-up', (run) => run.alone),
      strategy('one batch per consumer, 90 s cache', (run) => run.second),
      strategy('the feed', (run) => run.feed),
      row(
        'lower bound',
        runs.map(({ forced }) => forced),
      ),
      row(
        'lower bound of who knows every look-up in advance',
        runs.map(({ prophet }) => prophet),
      ),
      strategy('the feed, look-ups only (a price may be an interval old when it is looked at)', (run) => run.lookUps),
    ],
  )
  const over = runs.map(({ feed, forced }) => feed.credits / forced - 1)
  const overProphet = runs.map(({ feed, prophet }) => feed.credits / prophet - 1)
  console.log(
    `\nover the lower bound            ${percent(mean(over))} (at most ${percent(Math.max(...over))})   target 5 %`,
  )
  console.log(`over that of the prophet        ${percent(mean(overProphet))}`)
  const share = mean(runs.map(({ feed }) => feed.credits)) / second
  const least = mean(runs.map(({ prophet }) => prophet)) / second
  console.log(`of one batch per consumer       ${percent(share)}   target below 50 %`)
  console.log(
    `  No schedule reaches that target: the alerts alone are bought 288 times for 240, and the prophet's bound is ${percent(least)}.\n`,
  )
}

async function manyBursts(): Promise<void> {
  const tokens = await someTokens(200)
  const rows = [
    ['one request per look-up', await bursts.alone(tokens)],
    ['dataloader and batch', await bursts.withDataLoader(tokens)],
    ['the feed', await bursts.withFeed(tokens)],
  ] as const
  console.log('2. 1,000 look-ups over 200 tokens in 20 bursts, 10 ms apart, answers take 80 ms\n')
  printTable(
    ['', 'requests', 'credits', 'wall time'],
    rows.map(([name, { requests, credits, wallMs }]) => [name, count(requests), count(credits), `${wallMs} ms`]),
  )
}

async function manyWatchers(): Promise<void> {
  const rows: string[][] = []
  await crowd(1_000, 200)
  for (const tokens of [500, 2_000, 8_000]) {
    const result = await crowd(5 * tokens, tokens)
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
  printTable(
    ['watchers', 'tokens', 'CPU per day', 'CPU per price', 'heap', 'credits a day', 'one call per consumer'],
    rows,
  )
}

await oneDay()
await manyBursts()
await manyWatchers()
