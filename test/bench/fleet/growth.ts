import { type RedisServer, startRedisServer } from '../../support/redis-server.ts'
import { CLIENT_CORE, SERVER_CORE } from '../support/cores.ts'
import type { Table } from '../support/report.ts'
import { pin, startWorker, type Worker } from './processes.ts'
import { redisStats } from './redis-stats.ts'

const PROCESSES = [1, 2, 4, 8, 16]
const KEYS = [1, 10, 100, 1_000]

/** Pairs of a reservation and a settlement. */
interface Rate {
  readonly perSecond: number
  /** Pairs in a second of CPU time of Redis. */
  readonly perRedisCore: number
}

const count = (value: number) => Math.round(value).toLocaleString('en-US')
const round = (value: number) => Number(value.toPrecision(2)).toLocaleString('en-US')

async function measure(
  server: RedisServer,
  workers: readonly Worker[],
  keys: number,
  durationMs: number,
): Promise<Rate> {
  const before = await redisStats(server)
  for (const worker of workers) worker.send({ keys, durationMs })
  const answers = await Promise.all(workers.map((worker) => worker.next<{ pairs: number }>()))
  const after = await redisStats(server)
  const pairs = answers.reduce((sum, answer) => sum + answer.pairs, 0)
  return { perSecond: pairs / (durationMs / 1_000), perRedisCore: pairs / (after.cpuSeconds - before.cpuSeconds) }
}

/** How reservations grow with processes and fleets. The processes have one core and Redis has the other. */
export async function compareGrowth(durationMs: number): Promise<Table[]> {
  const server = await startRedisServer()
  const workers: Worker[] = []
  try {
    pin(server.process.pid, SERVER_CORE)
    const most = Math.max(...PROCESSES)
    for (let left = most; left > 0; left--) workers.push(startWorker('reserve.mjs', { port: server.port }, CLIENT_CORE))
    await Promise.all(workers.map((worker) => worker.next()))
    workers[0]?.send({ initialize: Math.max(...KEYS) })
    await workers[0]?.next()
    // A warm-up.
    await measure(server, workers, Math.max(...KEYS), durationMs / 2)
    const rates: Rate[][] = []
    for (const processes of PROCESSES) {
      const row: Rate[] = []
      for (const keys of KEYS) row.push(await measure(server, workers.slice(0, processes), keys, durationMs))
      rates.push(row)
    }
    const columns = KEYS.map((keys) => `${count(keys)} ${keys === 1 ? 'fleet' : 'fleets'}`)
    const table = (title: string, figure: keyof Rate): Table => ({
      head: [title, ...columns],
      rows: PROCESSES.map((processes, index) => [
        `${processes} ${processes === 1 ? 'process' : 'processes'}`,
        ...(rates[index] ?? []).map((rate) => round(rate[figure])),
      ]),
    })
    return [
      table('reservations with their settlements a second, all processes on one core', 'perSecond'),
      table('the same in a second of CPU time of Redis', 'perRedisCore'),
    ]
  } finally {
    for (const worker of workers) worker.stop()
    await server.close()
  }
}

/** The most that one Redis takes, and how much it has to remember. */
export async function measureLimit(durationMs: number, cpuOfCall: number): Promise<Table> {
  const server = await startRedisServer()
  try {
    pin(server.process.pid, SERVER_CORE)
    const before = await redisStats(server)
    const worker = startWorker('saturate.mjs', { port: server.port, durationMs }, CLIENT_CORE)
    const { pairs, seconds } = await worker.next<{ pairs: number; seconds: number }>()
    const after = await redisStats(server)
    const cpuSeconds = after.cpuSeconds - before.cpuSeconds
    const bytes = (after.memory - before.memory) / pairs
    return {
      head: ['one Redis, sent prepared commands in batches', 'Measured'],
      rows: [
        ['reservations with their settlements a second', round(pairs / seconds)],
        ['– of its core in use', `${Math.round((100 * cpuSeconds) / seconds)} %`],
        ['– in a second of its CPU time', round(pairs / cpuSeconds)],
        ['cores of clients that make so many calls', (((pairs / cpuSeconds) * cpuOfCall) / 1_000_000).toFixed(1)],
        ['memory of a call, kept for an hour', `${round(bytes)} bytes`],
        ['– of 100 calls a second', `${round((bytes * 100 * 3_600) / 1_000_000)} MB`],
        ['– of 1,000 calls a second', `${round((bytes * 1_000 * 3_600) / 1_000_000)} MB`],
      ],
    }
  } finally {
    await server.close()
  }
}
