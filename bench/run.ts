import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundleSize } from './size.ts'

const ROUNDS = 7
const COLD_ROUNDS = 15
const CALLS = 4_000
const HEAP_CALLS = 100_000
const CONTENDERS = ['bare fetch', 'etn-market'] as const
type Contender = (typeof CONTENDERS)[number]

const exec = promisify(execFile)
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN

async function measure(contender: Contender, workload: string, port: number, calls: number) {
  const { stdout } = await exec(process.execPath, [
    '--expose-gc',
    here('client.mjs'),
    contender,
    workload,
    String(port),
    String(calls),
  ])
  return JSON.parse(stdout) as { cpuPerCall: number; heapGrowth: number }
}

/** Rounds are interleaved, so that a noisy minute hits both. */
async function ratio(workload: string, port: number): Promise<string> {
  const cpu: Record<Contender, number[]> = { 'bare fetch': [], 'etn-market': [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of CONTENDERS)
      cpu[contender].push((await measure(contender, workload, port, CALLS)).cpuPerCall)
  }
  const ratios = cpu['etn-market'].map((value, round) => value / (cpu['bare fetch'][round] ?? Number.NaN))
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  const [ours, bare] = [median(cpu['etn-market']), median(cpu['bare fetch'])]
  return `${median(ratios).toFixed(2)} (${spread}; ${ours.toFixed(0)} against ${bare.toFixed(0)} µs of CPU a call)`
}

async function coldStart(port: number): Promise<string> {
  const times: Record<Contender, number[]> = { 'bare fetch': [], 'etn-market': [] }
  for (let round = 0; round < COLD_ROUNDS; round++) {
    for (const contender of CONTENDERS) {
      const startedAt = performance.now()
      await exec(process.execPath, [here('cold.mjs'), contender, String(port)])
      times[contender].push(performance.now() - startedAt)
    }
  }
  const [ours, bare] = [median(times['etn-market']), median(times['bare fetch'])]
  return `${(ours - bare).toFixed(0)} ms over bare fetch (${ours.toFixed(0)} against ${bare.toFixed(0)} ms)`
}

const server = fork(here('server.mjs'))
const [port] = (await once(server, 'message')) as [number]
const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
try {
  console.log(
    `Node ${process.version}, ${ROUNDS} interleaved rounds of ${CALLS} calls, ratios of CPU to bare fetch + json()`,
  )
  console.log(`light call, one after another   ${await ratio('sequential', port)}   target 1.50`)
  console.log(`light call, 50 in flight        ${await ratio('concurrent', port)}   target 1.75`)
  console.log(`cold start                      ${await coldStart(port)}   target 25 ms`)
  const whole = await bundleSize('createClient')
  console.log(
    `bundle, whole client            ${kB(whole.first)} at once, ${kB(whole.later)} only to explain a wrong answer   target 20 kB`,
  )
  const estimate = await bundleSize('estimateCost')
  console.log(`bundle, estimateCost alone      ${kB(estimate.first)}`)
  const MB = async (contender: Contender) =>
    ((await measure(contender, 'concurrent', port, HEAP_CALLS)).heapGrowth / 1_000_000).toFixed(1)
  console.log(
    `heap after ${HEAP_CALLS} calls         ${await MB('etn-market')} MB more than before, bare fetch ${await MB('bare fetch')} MB`,
  )
} finally {
  server.kill()
}
