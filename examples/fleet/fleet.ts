/**
 * Eight processes share one budget of 100,000 credits. One of them is killed now and then. At the end, the ledger of the service proves
 * that the fleet has spent no more. The service is the fake one on this machine, so nothing is paid.
 *
 *     node --import tsx examples/fleet/fleet.ts
 */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from 'etn-market'
import { createFakeService, fakeKey, type JournalEntry } from 'etn-market/fake'
import { createRedisFleet, type Fleet, type FleetStatus } from 'etn-market/redis'
import { Redis } from 'ioredis'
import { count, createDisplay } from './display.ts'
import { fleetOptions, SHORT_TIMES } from './fleet-options.ts'
import { type Processes, startProcesses } from './processes.ts'
import { prove } from './proof.ts'
import { openRedis, type RedisAddress } from './redis-url.ts'

const { values } = parseArgs({
  options: {
    credits: { type: 'string', default: '100000' },
    processes: { type: 'string', default: '8' },
    'kill-every-ms': { type: 'string', default: '3000' },
    seconds: { type: 'string', default: '60' },
  },
})
const credits = Number(values.credits)
const killEveryMs = Number(values['kill-every-ms'])
const maxMs = 1_000 * Number(values.seconds)
/** The cost of `etn.price`. */
const CHEAPEST_CALL = 25
const TICK_MS = 100
/** A killed process leaves reserved credits for the time of a lease. */
const MAX_SETTLE_MS = 10_000

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())
const tick = () => wait(TICK_MS, undefined, { signal: stopped.signal }).catch(() => {})

const fake = createFakeService({ latencyMs: 80, journal: { headers: true, max: 1_000_000 } })
// One connection in a hundred breaks: half of them before the service charges, the others after it.
for (const reset of ['before', 'after'] as const) {
  fake.fault({ operation: ['token.price', 'prices.batch'], probability: 0.005, reset })
}
const display = createDisplay(process.stdout)

/** Lets the processes buy until the budget is used up. */
async function runDay(fleet: Fleet, processes: Processes): Promise<string> {
  const startedAt = performance.now()
  let killed = 0
  let nextKillAt = killEveryMs
  for (;;) {
    const status = await fleet.status()
    const elapsedMs = performance.now() - startedAt
    const journal = fake.journal()
    display.show({ elapsedMs, status, places: processes.places, journal })
    const ending = endingOf(status, elapsedMs)
    if (ending) return `${ending} ${count(killed)} processes were killed.`
    // Otherwise a slow machine, which takes seconds to replace one, would do nothing else.
    if (processes.places.some(({ state }) => state !== 'running')) nextKillAt = elapsedMs + killEveryMs
    const number = elapsedMs >= nextKillAt ? newestInFlight(journal) : undefined
    if (number !== undefined) {
      processes.replace(number)
      killed++
    }
    await tick()
  }
}

/** The process of the newest request in flight: it may be charged, and nobody reads the answer. */
function newestInFlight(journal: readonly JournalEntry[]): number | undefined {
  const number = journal.findLast(({ finished }) => !finished)?.headers?.['x-process']
  return number === undefined ? undefined : Number(number)
}

function endingOf({ available, reserved }: FleetStatus, elapsedMs: number): string | undefined {
  const seconds = (elapsedMs / 1_000).toFixed(1)
  if (stopped.signal.aborted) return `Stopped after ${seconds} s.`
  if (available < CHEAPEST_CALL && reserved === 0) return `The budget is used up after ${seconds} s.`
  if (elapsedMs >= maxMs) return `The time is over after ${seconds} s.`
  return undefined
}

/**
 * Waits until nothing is reserved any more: credits of a killed process become uncertain when its lease ends. Then until nothing of it can be charged
 * any more.
 */
async function settled(fleet: Fleet): Promise<void> {
  const until = performance.now() + MAX_SETTLE_MS
  while ((await fleet.status()).reserved > 0 && performance.now() < until) await wait(TICK_MS)
  await wait(SHORT_TIMES.maxChargeDelayMs)
}

/** A new fleet with a name of its own, so that nothing of another run counts. Its keys are deleted at the end. */
async function withFleet<T>(redis: Redis, use: (fleet: Fleet, name: string) => Promise<T>): Promise<T> {
  const name = `example-${crypto.randomUUID()}`
  const fleet = createRedisFleet(redis, { ...fleetOptions(name, credits), ...SHORT_TIMES })
  await fleet.initialize()
  try {
    return await use(fleet, name)
  } finally {
    await fleet.close()
    for await (const keys of redis.scanStream({ match: `{etn-market:${name}}:*` })) {
      if (keys.length > 0) await redis.del(...keys)
    }
  }
}

/** Resolves to whether the account of the fleet is right. */
async function run(redis: Redis, { url, description }: RedisAddress): Promise<boolean> {
  const { url: baseUrl } = await fake.listen()
  return withFleet(redis, async (fleet, name) => {
    await using client = createClient({ apiKey: fakeKey, baseUrl, fleet })
    // Remembers the balance of the key.
    await fleet.reconcile(client)
    console.log(`${values.processes} processes share ${count(credits)} credits through ${description}.`)
    let crash: Error | undefined
    const env = {
      REDIS_URL: url,
      ETN_MARKET_BASE_URL: baseUrl,
      ETN_MARKET_API_KEY: fakeKey,
      FLEET_NAME: name,
      FLEET_CREDITS: values.credits,
      FLEET_TIMES: JSON.stringify(SHORT_TIMES),
    }
    const processes = startProcesses(Number(values.processes), env, {
      onChange: display.note,
      onCrash(error) {
        crash = error
        stopped.abort()
      },
    })
    try {
      await Promise.race([processes.ready, once(stopped.signal, 'abort')])
      const ending = await runDay(fleet, processes)
      await processes.stop()
      await settled(fleet)
      display.end()
      console.log(`\n${ending}`)
    } finally {
      await processes.stop()
    }
    if (crash) throw crash
    return await prove(fleet, client, fake)
  })
}

async function main(): Promise<boolean> {
  const address = await openRedis()
  // Two attempts for each command, so that a wrong address is reported soon.
  const redis = new Redis(address.url, { maxRetriesPerRequest: 1 })
  redis.on('error', () => {})
  try {
    return await run(redis, address)
  } finally {
    redis.disconnect()
    await fake.close()
    await address.close()
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  const { message, cause } = error as Error
  console.error(cause instanceof Error ? `${message}\nThe cause: ${cause.message}` : message)
  process.exitCode = 1
}
