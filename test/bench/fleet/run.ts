/** Measures fleets: what a shared budget adds to a call, how much one Redis takes, and whether a long run with failures is counted exactly. */
import { loadavg } from 'node:os'
import { printTable } from '../../../examples/support/table.ts'
import { hasRedisServer } from '../../support/redis-server.ts'
import { install } from '../support/processes.ts'
import { type Table, thisMachine, writeReadme } from '../support/tables.ts'
import { compareLatency } from './latency.ts'
import { measureLimit } from './limit.ts'
import { longRun } from './long-run.ts'

const isSmall = process.argv.includes('--small')
/** A busy machine may need longer for all calls than the section should take. */
const maxLongRunMs = process.argv.includes('--patient') ? 3_600_000 : 240_000
const SIZES = isSmall
  ? { latencyCalls: 2_000, limitMs: 1_000, longRunCalls: 16_000 }
  : { latencyCalls: 10_000, limitMs: 5_000, longRunCalls: 200_000 }

async function main(): Promise<void> {
  install()
  const [loadBefore] = loadavg()
  const tables: Table[] = []
  const add = (table: Table) => {
    tables.push(table)
    printTable(table.head, table.rows)
    console.log()
  }
  const latency = await compareLatency(SIZES.latencyCalls)
  add(latency.table)
  add(await measureLimit(SIZES.limitMs, latency.cpuOfCall))
  const { table, isMet } = await longRun(SIZES.longRunCalls, maxLongRunMs)
  add(table)
  if (!isMet) process.exitCode = 1

  const [loadAfter] = loadavg()
  const heading = `${thisMachine()}; load average of the machine ${loadBefore?.toFixed(1)} before and ${loadAfter?.toFixed(1)} after. ✗ misses its target.`
  console.log(heading)
  if (process.argv.includes('--write')) writeReadme({ heading, tables }, 'fleet')
}

if (hasRedisServer) await main()
else {
  console.log('fleet: NOT RUN, because redis-server is not installed.')
  process.exitCode = 1
}
