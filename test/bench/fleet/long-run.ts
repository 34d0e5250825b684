import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from 'etn-market'
import { createRedisFleet, type Fleet, type FleetStatus } from 'etn-market/redis'
import { Redis } from 'ioredis'
import { startRedisServer } from '../../support/redis-server.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { startWorker, type Worker } from '../support/processes.ts'
import { markMissed, type Table } from '../support/tables.ts'

const PROCESSES = 16
const CUT_EVERY_MS = 3_000
/** Less than the calls would cost, about 77 credits each, so that the limit is reached. */
const CREDITS_PER_CALL = 70
/** Longer than a lease. */
const MAX_SETTLE_MS = 45_000
/** How long a lost request may still be charged: the service of this run executes at once. */
const CHARGE_DELAY_MS = 1_000

interface Service {
  readonly baseUrl: string
  readonly apiKey: string
  readonly tokens: readonly string[]
}
interface Ledger {
  readonly charged: number
  readonly requests: number
  readonly hits: number
}
interface Result {
  readonly seconds: number
  readonly cuts: number
  readonly ledger: Ledger
  readonly outcomes: Readonly<Record<string, number>>
  /** When nothing is reserved any more. */
  readonly before: FleetStatus
  /** After a look at the balance of the key. */
  readonly after: FleetStatus
}

const count = (value: number) => value.toLocaleString('en-US')

async function cutEvery(proxy: TcpProxy, signal: AbortSignal): Promise<number> {
  for (let cuts = 0; ; cuts++) {
    await wait(CUT_EVERY_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return cuts
    proxy.cut()
  }
}

async function settled(fleet: Fleet): Promise<FleetStatus> {
  const until = performance.now() + MAX_SETTLE_MS
  for (;;) {
    const status = await fleet.status()
    if (status.reserved === 0 || performance.now() > until) return status
    await wait(200)
  }
}

async function makeCalls(workers: readonly Worker[], proxy: TcpProxy): Promise<Pick<Result, 'cuts' | 'outcomes'>> {
  await Promise.all(workers.map((worker) => worker.next()))
  const ended = new AbortController()
  const cutting = cutEvery(proxy, ended.signal)
  const outcomes: Record<string, number> = {}
  try {
    for (const worker of workers) worker.send({})
    const answers = await Promise.all(workers.map((worker) => worker.next<{ outcomes: Record<string, number> }>()))
    for (const [name, times] of answers.flatMap((answer) => Object.entries(answer.outcomes)))
      outcomes[name] = (outcomes[name] ?? 0) + times
  } finally {
    ended.abort()
  }
  return { cuts: await cutting, outcomes }
}

async function run(calls: number, maxMs: number): Promise<Result> {
  const server = await startRedisServer()
  const proxy = await startTcpProxy(server.port)
  const redis = new Redis({ port: server.port, host: '127.0.0.1' })
  const fleetOptions = {
    name: 'long-run',
    budget: { credits: CREDITS_PER_CALL * calls },
    maxChargeDelayMs: CHARGE_DELAY_MS,
  }
  const fleet = createRedisFleet(redis, fleetOptions)
  const api = startWorker('fleet/api.mjs', { credits: 1_000 * calls })
  const workers: Worker[] = []
  try {
    const service = await api.next<Service>()
    const client = createClient({ apiKey: service.apiKey, baseUrl: service.baseUrl, fleet })
    await fleet.initialize()
    // Remembers the balance of the key.
    await fleet.reconcile(client)
    for (let index = 0; index < PROCESSES; index++) {
      const library = index % 2 === 0 ? 'ioredis' : 'redis'
      const job = { ...service, port: proxy.port, library, fleetOptions, calls: calls / PROCESSES, maxMs }
      workers.push(startWorker('fleet/call.mjs', job))
    }
    const startedAt = performance.now()
    const made = await makeCalls(workers, proxy)
    const seconds = (performance.now() - startedAt) / 1_000
    const before = await settled(fleet)
    api.send({})
    const ledger = await api.next<Ledger>()
    await wait(CHARGE_DELAY_MS)
    await fleet.reconcile(client)
    const after = await fleet.status()
    await client.close()
    return { seconds, ledger, before, after, ...made }
  } finally {
    for (const worker of [...workers, api]) worker.stop()
    await fleet.close()
    redis.disconnect()
    await proxy.close()
    await server.close()
  }
}

/** Many calls of many processes, with faults of the service and a connection to Redis that is cut again and again. */
export async function longRun(calls: number, maxMs: number): Promise<{ table: Table; isMet: boolean }> {
  const { seconds, cuts, ledger, outcomes, before, after } = await run(calls, maxMs)
  const made = Object.values(outcomes).reduce((sum, times) => sum + times, 0)
  const { charged, requests, hits } = ledger
  const overspend = Math.max(0, charged - before.limit)
  const uncounted = Math.max(0, charged - before.spent - before.uncertain)
  const lost = Math.abs(charged - after.spent) + after.uncertain
  const zero = (name: string, figure: number) => [name, markMissed(count(figure), figure === 0), '0']
  const failures = Object.entries(outcomes).filter(([name]) => name !== 'ok')
  const table = {
    head: [`a long run of ${PROCESSES} processes`, 'Measured', 'Target'],
    rows: [
      ['calls', markMissed(count(made), made === calls), count(calls)],
      ['duration, and cuts of all connections to Redis', `${seconds.toFixed(0)} s, ${cuts}`, ''],
      ['– that succeeded', count(outcomes.ok ?? 0), ''],
      ...failures.map(([name, times]) => [`– that failed with ${name}`, count(times), '']),
      ['requests, with faults', `${count(requests)}, ${((100 * hits) / requests).toFixed(1)} %`, ''],
      ['credits charged by the ledger of the service', `${count(charged)} of ${count(before.limit)}`, ''],
      ['– of these spent, as the fleet knows; uncertain', `${count(before.spent)}; ${count(before.uncertain)}`, ''],
      zero('overspend', overspend),
      zero('charged, but neither spent nor uncertain', uncounted),
      zero('still reserved', before.reserved),
      zero('lost: difference between the ledger and the fleet after `reconcile()`', lost),
    ],
  }
  return { table, isMet: made === calls && overspend + uncounted + before.reserved + lost === 0 }
}
