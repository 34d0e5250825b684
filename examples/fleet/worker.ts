/** One process of the fleet: buys market data until its parent stops it or is gone. Started by `fleet.ts`. */
import { setTimeout as wait } from 'node:timers/promises'
import { BudgetExceededError, createClient, isEtnMarketError } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { createRedisFleet } from 'etn-market/redis'
import { Redis } from 'ioredis'
import { fleetOptions } from './fleet-options.ts'

const { REDIS_URL = '', FLEET_NAME = '', FLEET_CREDITS, FLEET_TIMES = '{}', FLEET_PROCESS = '' } = process.env
/** A loop waits half of this on average between two calls, milliseconds. */
const MAX_PAUSE_MS = 500
const LOOPS = 2

const stopped = new AbortController()
process.once('message', () => stopped.abort())
// The parent is gone.
process.once('disconnect', () => stopped.abort())
if (!process.connected) stopped.abort()

const redis = new Redis(REDIS_URL)
// It reconnects by itself; until then, calls fail with StateUnavailableError.
redis.on('error', () => {})
// The demonstration has shorter times. Leave them out.
const fleet = createRedisFleet(redis, {
  ...fleetOptions(FLEET_NAME, Number(FLEET_CREDITS)),
  ...JSON.parse(FLEET_TIMES),
})
// The header is for the table of the parent.
const client = createClient({ fleet, headers: { 'x-process': FLEET_PROCESS } })

const tokens = Object.values(fakeTokens)
const address = () => tokens[Math.floor(Math.random() * tokens.length)] ?? fakeTokens.BOLT

/** What this bot wants to know, with the share of each question. The last one is heavy: two at a time in the whole fleet. */
const demand: readonly [share: number, call: () => PromiseLike<unknown>][] = [
  [0.6, () => client.token.price({ address: address() })],
  [0.25, () => client.prices.batch({ addresses: tokens })],
  [0.12, () => client.token.candles({ address: address(), bucket: '1h', limit: 100 })],
  [0.03, () => client.locks.get({ address: address() })],
]

function nextCall(): () => PromiseLike<unknown> {
  let rest = Math.random()
  const found = demand.find(([share]) => {
    rest -= share
    return rest < 0
  })
  return found?.[1] ?? (() => client.etn.price())
}

/** Resolves to whether the call fits the budget. Another failure is no reason to end a bot. */
async function fits(call: () => PromiseLike<unknown>): Promise<boolean> {
  try {
    await call()
  } catch (error) {
    if (error instanceof BudgetExceededError) return false
    if (!isEtnMarketError(error)) throw error
  }
  return true
}

async function work(): Promise<void> {
  while (!stopped.signal.aborted) {
    // The cheapest call uses what is left.
    if (!(await fits(nextCall()))) await fits(() => client.etn.price())
    await wait(Math.random() * MAX_PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => {})
  }
}

process.send?.('ready')
await Promise.all(Array.from({ length: LOOPS }, work))
await client.close()
await fleet.close()
redis.disconnect()
if (process.connected) process.disconnect()
