/** Measures what visitors cost behind the proxy, and what the proxy itself takes. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { printTable } from '../../../examples/support/table.ts'
import { startService } from '../service/start.ts'
import { install } from '../support/install.ts'
import { besideGreedy, besideRotating, type Fairness, HONEST, HONEST_TOKENS, HOURS, honestAlone } from './greedy.ts'
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
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** So many visitors are simulated where each pays for itself. */
const SAMPLE = 20

async function compareBills(): Promise<void> {
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
  console.log(
    `1. ${count(VISITORS)} visitors watch ${TOKENS} tokens every ${EVERY_MS / 1_000} s for ${minutes} minutes\n`,
  )
  printTable(
    ['', 'credits', 'requests', 'of one feed', 'prices a token', 'stale'],
    [
      row('one page with a feed', one),
      row(`a client each (${SAMPLE} simulated)`, each),
      row('through the proxy', proxy),
      row('through the stream', stream),
    ],
  )
  const over = stream.credits / one.credits - 1
  console.log(`\nstream over one feed            ${(100 * over).toFixed(2)} %   target 1 %${over > 0.01 ? ' ✗' : ''}`)
}

async function compareFairness(): Promise<void> {
  const row = (name: string, { meanMs, longestMs, credits }: Fairness) => [
    name,
    `${(meanMs / 1_000).toFixed(0)} s`,
    `${(longestMs / 1_000).toFixed(0)} s`,
    count(credits),
  ]
  console.log(
    `\n4. ${HONEST} honest visitors stream ${HONEST_TOKENS} tokens every 60 s for ${HOURS} hours, with the options of examples/dapp\n`,
  )
  printTable(
    ['', 'mean interval of an honest visitor', 'longest', 'credits of all'],
    [
      row('alone', await honestAlone()),
      row('beside one that wants every listed token every 30 s', await besideGreedy()),
      row('beside 100 of them, with new identities each minute', await besideRotating()),
    ],
  )
}

async function measureIn<Figures>(script: string, job: object = {}): Promise<Figures> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), {
    execArgv: [...process.execArgv, '--expose-gc'],
    env: { ...process.env, JOB: JSON.stringify(job) },
  })
  const message = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => undefined)])
  if (message === undefined) throw new Error(`${script} failed.`)
  return message[0] as Figures
}

async function measureCpu(): Promise<void> {
  install()
  const service = await startService()
  try {
    const figures = await measureIn<Record<'passThrough' | 'proxy' | 'cached', number[]>>('measure-cpu.ts', service)
    const bare = median(figures.passThrough)
    const row = (name: string, values: readonly number[]) => [
      name,
      `${median(values).toFixed(0)} µs`,
      (median(values) / bare).toFixed(2),
    ]
    console.log('\n2. CPU of a call of token.price, 50 in flight, 1,000 visitors with budgets; median of 5 rounds\n')
    printTable(
      ['', 'CPU', 'of the pass-through'],
      [
        row('pass-through with bare fetch', figures.passThrough),
        row('the proxy, Node transport', figures.proxy),
        row('the proxy, from its cache', figures.cached),
      ],
    )
  } finally {
    service.stop()
  }
}

async function measureStreams(): Promise<void> {
  const { bytesPerStream } = await measureIn<{ bytesPerStream: number }>('measure-streams.ts')
  const isMet = bytesPerStream <= 20_000
  console.log(
    `\n3. memory of an open stream      ${(bytesPerStream / 1_000).toFixed(1)} kB   target 20 kB${isMet ? '' : ' ✗'}`,
  )
}

await compareBills()
await measureCpu()
await measureStreams()
await compareFairness()
