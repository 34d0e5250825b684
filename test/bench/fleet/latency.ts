import { startRedisServer } from '../../support/redis-server.ts'
import { CLIENT_CORE, pin, SERVER_CORE, startService, startWorker } from '../support/processes.ts'
import type { Table } from '../support/tables.ts'

/** µs of one call. */
interface Latency {
  readonly median: number
  readonly p99: number
  readonly cpu: number
}
type Clients = Record<'memory' | 'ioredis' | 'redis', Latency>

const TITLES: Record<keyof Clients, string> = {
  memory: 'budget in memory',
  ioredis: 'fleet, over ioredis',
  redis: 'fleet, over redis',
}
const micros = (value: number) => `${Math.round(value).toLocaleString('en-US')} µs`
const added = (value: number) => `${value < 0 ? '−' : '+'}${micros(Math.abs(value))}`

interface Comparison {
  readonly table: Table
  /** CPU time of a client in a fleet for one of many calls in flight, µs. */
  readonly cpuOfCall: number
}

/** What a shared budget adds to a call over loopback. */
export async function compareLatency(calls: number): Promise<Comparison> {
  const server = await startRedisServer()
  const service = await startService()
  try {
    pin(server.process.pid, SERVER_CORE)
    const { baseUrl, addresses } = service
    const worker = startWorker('fleet/latency.mjs', { port: server.port, baseUrl, addresses, calls }, CLIENT_CORE)
    const figures = await worker.next<Record<'single' | 'many', Clients>>()
    const names = Object.keys(TITLES) as (keyof Clients)[]
    const show = (clients: Clients, name: keyof Clients) => {
      const format = name === 'memory' ? micros : added
      const base = name === 'memory' ? { median: 0, p99: 0, cpu: 0 } : clients.memory
      return (['median', 'p99', 'cpu'] as const).map((figure) => format(clients[name][figure] - base[figure]))
    }
    const columns = ['median', 'p99', 'CPU']
    const table = {
      head: ['', ...columns.map((name) => `one by one: ${name}`), ...columns.map((name) => `50 in flight: ${name}`)],
      rows: names.map((name) => [TITLES[name], ...show(figures.single, name), ...show(figures.many, name)]),
    }
    return { table, cpuOfCall: figures.many.ioredis.cpu }
  } finally {
    service.stop()
    await server.close()
  }
}
