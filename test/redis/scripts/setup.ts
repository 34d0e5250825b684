import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { AgeClock, systemClock } from '../../../src/concurrency/clock.ts'
import { FleetKeys } from '../../../src/redis/redis-fleet.ts'
import { RENEW } from '../../../src/redis/scripts/clock.lua.ts'
import { INITIALIZE, RESERVE, SETTLE } from '../../../src/redis/scripts/ledger.lua.ts'
import { RECONCILE } from '../../../src/redis/scripts/reconcile.lua.ts'
import { STATUS } from '../../../src/redis/scripts/windows.lua.ts'
import { View } from '../../../src/redis/view.ts'
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts'
import { createTimedRunner, type TimedRunner } from '../../support/redis-time.ts'

export const WINDOW_MS = 1_000
export const LEASE_MS = 300
/** How long a lost request may still be charged. */
export const DELAY_MS = 400
export const HOUR = 3_600_000
export const YEAR = 8_760 * HOUR
/** Two slots. */
export const configOf = (credits: number, windowMs: number, leaseMs = LEASE_MS) =>
  `${credits} ${windowMs} 2 ${leaseMs} ${DELAY_MS}`
/** 1,000 credits a window of a second. */
export const CONFIG = configOf(1_000, WINDOW_MS)
/** The name of an API key. */
export const KEY = 'key1'
/** The beginning of a window. */
export const START = 1_000_000_000_000

/** Every script ends its reply with the id of its command. */
const COMMAND_ID = 'command-1'

/** What one member has seen. */
export const createView = () => new View(new AgeClock(systemClock))

/** The scripts on a real server, in a time that a test sets. */
export function useScripts() {
  let server: RedisServer
  let redis: Redis
  let runner: TimedRunner
  /** That of one member, which makes all commands that do not state another one. */
  let view = createView()
  const keys = new FleetKeys('test')
  beforeAll(async () => {
    server = await startRedisServer()
    redis = new Redis({ port: server.port, host: '127.0.0.1' })
  })
  beforeEach(async () => {
    await redis.flushall()
    view = createView()
    runner = createTimedRunner(redis, START)
  })
  // Keys of a fleet that nobody uses any more are forgotten.
  afterEach(async () => {
    for (const key of await redis.keys('*')) expect([key, await redis.pttl(key)]).not.toEqual([key, -1])
  })
  afterAll(async () => {
    redis.disconnect()
    await server.close()
  })
  const run = async (script: string, keyList: string[], args: (string | number)[]) => {
    const reply = (await runner.eval(script, keyList, [...args.map(String), COMMAND_ID])) as unknown[]
    expect(reply.pop()).toBe(COMMAND_ID)
    return reply
  }
  const totals = async (script: string, args: (string | number)[]) => {
    const [verdict, , seen = '', window, , spent, reserved, uncertain] = (await run(
      script,
      keys.ledger,
      args,
    )) as string[]
    if (seen !== '') view.remember(seen)
    return { verdict, seen, window: Number(window), totals: [spent, reserved, uncertain].map(Number) }
  }
  const scripts = {
    keys,
    run,
    get redis() {
      return redis
    },
    get server() {
      return server
    },
    at(now: number) {
      runner.now = now
    },
    later(ms: number) {
      runner.now += ms
    },
    initialize(config = CONFIG, { seen = '' } = {}) {
      view = createView()
      return totals(INITIALIZE, [config, seen, 0])
    },
    reserve: (id: string, credits: number, { config = CONFIG, key = KEY, seen = view.seen } = {}) =>
      totals(RESERVE, [config, seen, id, credits, key]),
    settle: (
      id: string,
      decision: 's' | 'f' | 'u',
      charged = 0,
      { credits = 0, window = START / WINDOW_MS, ageMs = 0, sentMs = 0, key = KEY, seen = view.seen } = {},
    ) => totals(SETTLE, [seen, id, decision, charged, credits, window, ageMs, sentMs, key]),
    /** What Redis has now; the result lets it begin with that again, as after a crash. */
    async snapshot() {
      const names = await redis.keys('*')
      const values = await Promise.all(names.map((name) => redis.dumpBuffer(name)))
      return async () => {
        await redis.flushall()
        await Promise.all(names.map((name, index) => redis.restore(name, YEAR, values[index] ?? '')))
      }
    },
    renew: (...ids: string[]) => run(RENEW, [keys.leases], [LEASE_MS, ...ids.flatMap((id) => [1, id])]),
    /** Spent, reserved, uncertain. */
    async status(config = CONFIG, remembered = view.seen) {
      const reply = (await run(STATUS, keys.status, [config, remembered])) as string[]
      const [taken, , seen = '', window, msLeft, ...counts] = reply
      return {
        seen,
        window: Number(window),
        msLeft: Number(msLeft),
        totals: counts.slice(0, 3).map(Number),
        taken: Number(taken),
      }
    },
    reconcile: (args: readonly (string | number)[] = [], { config = CONFIG, seen = view.seen } = {}) =>
      run(RECONCILE, keys.ledger, [config, seen, ...args]) as Promise<string[]>,
  }
  return scripts
}
