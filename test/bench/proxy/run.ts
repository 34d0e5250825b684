/** Measures what visitors cost behind the proxy, and what the proxy itself takes. */
import { Agent, get } from 'node:http'
import { loadavg } from 'node:os'
import { printTable } from '../../../examples/support/table.ts'
import { SERVER_CORE, startWorker } from '../support/processes.ts'
import { markMissed, spreadOf, type Table, thisMachine, writeReadme } from '../support/tables.ts'
import {
  type Bill,
  clientEach,
  DURATION_MS,
  EVERY_MS,
  oneFeed,
  TOKENS,
  throughProxy,
  throughStream,
  VISITORS,
} from './visitors.ts'

const count = (value: number) => Math.round(value).toLocaleString('en-US')
const median = (values: readonly number[]) => spreadOf(values).median

/** So many visitors are simulated where each pays for itself. */
const SAMPLE = 20

/** What visitors cost, in virtual time. */
async function compareBills(): Promise<Table> {
  const one = await oneFeed()
  const sample = await clientEach(SAMPLE)
  const scale = VISITORS / SAMPLE
  const each = { ...sample, credits: sample.credits * scale, requests: sample.requests * scale }
  const proxy = await throughProxy(VISITORS)
  const stream = await throughStream(VISITORS)
  const row = (name: string, { credits, requests, pricesPerToken, stale }: Bill) => [
    name,
    count(credits),
    count(requests),
    `${((100 * credits) / one.credits).toFixed(1)} %`,
    pricesPerToken.toFixed(1),
    count(stale),
  ]
  const minutes = DURATION_MS / 60_000
  const isMet = stream.credits <= 1.01 * one.credits
  return {
    head: [
      `${count(VISITORS)} visitors watch ${TOKENS} tokens every ${EVERY_MS / 1_000} s for ${minutes} minutes`,
      'credits',
      'requests',
      'of one feed',
      'prices a token',
      'stale',
    ],
    rows: [
      row('one page with a feed', one),
      row(`a client each (${SAMPLE} simulated)`, each),
      row('through the proxy', proxy),
      row(markMissed('through the stream; target 101 %', isMet), stream),
    ],
  }
}

/** What the memory of a stream is, and for how long thousands of them block the event loop, in a process of its own. */
async function measureStreams(): Promise<Table> {
  interface Figures extends Record<'fanOut' | 'openAndClose', number[]> {
    bytesPerStream: number
  }
  const worker = startWorker('proxy/measure-streams.ts', {}, undefined, process.execArgv)
  const { bytesPerStream, ...blocks } = await worker.next<Figures>().finally(worker.stop)
  const blocked = (name: string, values: readonly number[], targetMs: number) => [
    name,
    markMissed(`${median(values).toFixed(1)} ms`, median(values) <= targetMs),
    `${targetMs} ms`,
  ]
  return {
    head: ['streams', 'Measured', 'Target'],
    rows: [
      ['memory of one', markMissed(`${(bytesPerStream / 1_000).toFixed(1)} kB`, bytesPerStream <= 20_000), '20 kB'],
      blocked('5,000 of 500 lists get new prices: longest blocked loop, median of 7 intervals', blocks.fanOut, 30),
      blocked('one opens or closes beside 99 lists of 100 addresses: blocked loop, median', blocks.openAndClose, 5),
    ],
  }
}

const ANSWERS = 2_000
const ROUNDS = 9
const CONNECTIONS = 4

/** CPU time of the server for an answer that it has kept, over that of a plain handler of Hono with a Map, round by round. */
async function measureAnswers(): Promise<Table> {
  const worker = startWorker('proxy/serve-answers.mjs', {}, SERVER_CORE, process.execArgv)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const { url } = await worker.next<{ url: string }>()
  const ask = (handler: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { 'x-visitor': 'one', 'x-handler': handler }
      get(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${handler} answered ${response.statusCode}.`))
        response.resume().once('end', resolve)
      }).once('error', reject)
    })
  const cpuOf = async (handler: string) => {
    worker.send({})
    await worker.next()
    const each = Array.from({ length: CONNECTIONS }, async () => {
      for (let asked = 0; asked < ANSWERS / CONNECTIONS; asked++) await ask(handler)
    })
    await Promise.all(each)
    worker.send({})
    return (await worker.next<number>()) / ANSWERS
  }
  const rounds: Record<'proxy' | 'hono', number>[] = []
  for (let round = 0; round <= ROUNDS; round++) rounds.push({ proxy: await cpuOf('proxy'), hono: await cpuOf('hono') })
  agent.destroy()
  worker.stop()
  // The first one compiles.
  const measured = rounds.slice(1)
  const ratio = median(measured.map(({ proxy, hono }) => proxy / hono))
  return {
    head: ['an answer that was kept, over node:http', 'CPU of the server', 'over Hono with a Map', 'Target'],
    rows: [
      ['Hono with a Map', `${median(measured.map(({ hono }) => hono)).toFixed(0)} µs`, '1', ''],
      [
        'the proxy',
        `${median(measured.map(({ proxy }) => proxy)).toFixed(0)} µs`,
        markMissed(ratio.toFixed(2), ratio <= 2),
        '2',
      ],
    ],
  }
}

const tables: Table[] = []
for (const measure of [compareBills, measureStreams, measureAnswers]) {
  const table = await measure()
  tables.push(table)
  printTable(table.head, table.rows)
  console.log()
}
const heading = `${thisMachine()}; load average of the machine ${loadavg()[0]?.toFixed(1)} after. ✗ misses its target.`
console.log(heading)
if (process.argv.includes('--write')) writeReadme({ heading, tables }, 'proxy')
