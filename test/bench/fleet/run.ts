/** Measures fleets: what a shared budget adds to a call, how much one Redis takes, and whether a long run with failures is counted exactly. */
import { cpus, loadavg } from 'node:os'
import { printTable } from '../../../examples/support/table.ts'
import { hasRedisServer, startRedisServer } from '../../support/redis-server.ts'
import { install } from '../support/install.ts'
import { writeReadme } from '../support/readme.ts'
import type { Table } from '../support/report.ts'
import { compareGrowth, measureLimit } from './growth.ts'
import { compareLatency } from './latency.ts'
import { longRun } from './long-run.ts'
import { redisStats } from './redis-stats.ts'

const isSmall = process.argv.includes('--small')
/** A busy machine may need longer for all calls than the section should take. */
const maxLongRunMs = process.argv.includes('--patient') ? 3_600_000 : 240_000
const SIZES = isSmall
  ? { latencyCalls: 2_000, growthMs: 300, limitMs: 1_000, longRunCalls: 16_000 }
  : { latencyCalls: 10_000, growthMs: 1_500, limitMs: 5_000, longRunCalls: 200_000 }

async function redisVersion(): Promise<string> {
  const server = await startRedisServer()
  try {
    return (await redisStats(server)).version
  } finally {
    await server.close()
  }
}

const load = () => loadavg()[0]?.toFixed(1)

async function main(): Promise<void> {
  install()
  const startedAt = performance.now()
  const loadBefore = load()
  const tables: Table[] = []
  const add = (...some: Table[]) => {
    for (const table of some) {
      tables.push(table)
      printTable(table.head, table.rows)
      console.log()
    }
  }
  const latency = await compareLatency(SIZES.latencyCalls)
  add(latency.table)
  add(...(await compareGrowth(SIZES.growthMs)))
  add(await measureLimit(SIZES.limitMs, latency.cpuOfCall))
  const { table, isMet } = await longRun(SIZES.longRunCalls, maxLongRunMs)
  add(table)
  if (!isMet) process.exitCode = 1

  const minutes = (performance.now() - startedAt) / 60_000
  const heading =
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, ` +
    `Redis ${await redisVersion()}, ${minutes.toFixed(1)} minutes; load average of the machine ${loadBefore} before and ${load()} after. ✗ misses its target.`
  console.log(heading)
  if (process.argv.includes('--write')) writeReadme({ heading, tables }, 'fleet')
}

if (hasRedisServer) await main()
else {
  console.log('fleet: NOT RUN, because redis-server is not installed.')
  process.exitCode = 1
}
