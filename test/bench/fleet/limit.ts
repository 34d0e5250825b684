import { type RedisServer, startRedisServer } from '../../support/redis-server.ts'
import { CLIENT_CORE, pin, SERVER_CORE, startWorker } from '../support/processes.ts'
import type { Table } from '../support/tables.ts'

const round = (value: number) => Number(value.toPrecision(2)).toLocaleString('en-US')

/** What a server says about itself. */
async function readStats(server: RedisServer) {
  const text = await server.command('INFO', 'everything')
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? ''
  return {
    cpuSeconds: Number(field('used_cpu_sys_main_thread')) + Number(field('used_cpu_user_main_thread')),
    memory: Number(field('used_memory')),
    version: field('redis_version'),
  }
}

/** The most that one Redis takes, and how much it has to remember. */
export async function measureLimit(durationMs: number, cpuOfCall: number): Promise<Table> {
  const server = await startRedisServer()
  try {
    pin(server.process.pid, SERVER_CORE)
    const before = await readStats(server)
    const worker = startWorker('fleet/limit.mjs', { port: server.port, durationMs }, CLIENT_CORE)
    const { pairs, seconds } = await worker.next<{ pairs: number; seconds: number }>()
    const after = await readStats(server)
    const cpuSeconds = after.cpuSeconds - before.cpuSeconds
    const bytes = (after.memory - before.memory) / pairs
    return {
      head: [`one Redis ${after.version}, sent prepared commands in batches`, 'Measured'],
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
