import { createClient } from 'etn-market'
import { createRedisFleet, type RedisConnection } from 'etn-market/redis'
import { expect, test } from 'vitest'
import { fleetInternalsOf } from '../../src/fleet/fleet.ts'
import type { ScriptRunner } from '../../src/redis/options.ts'
import { createTimedRunner } from '../support/redis-time.ts'
import { OPTIONS, useFleet } from './setup.ts'

const setup = useFleet()
const HOUR = 3_600_000
const YEAR = 8_760 * HOUR

/** A runner that gives the reply of another command where the test says so, as clients do after a broken connection. */
function confusedRunner() {
  const redis = setup.connect()
  const control = { confuses: (_args: string[], _lastArgs: string[]) => false }
  let last: { args: string[]; reply: unknown } = { args: [], reply: [] }
  const runner: ScriptRunner = {
    async eval(script, keys, args) {
      const reply = await redis.eval(script, keys.length, ...keys, ...args)
      const before = last
      last = { args, reply }
      return control.confuses(args, before.args) ? before.reply : reply
    },
  }
  return { runner, control }
}

async function startFleet(redis: RedisConnection, credits: number, windowMs = HOUR, options = {}) {
  const fleet = createRedisFleet(redis, { ...OPTIONS, ...options, budget: { credits, windowMs } })
  setup.onEnd(() => fleet.close())
  await fleet.initialize()
  const { budget } = fleetInternalsOf(fleet) ?? {}
  if (budget === undefined) throw new Error('The fleet has no budget.')
  return { fleet, budget }
}

test('a reservation is not granted by the reply to another one', async () => {
  const { runner, control } = confusedRunner()
  const { budget, fleet } = await startFleet(runner, 60)
  await budget.reserve(50)
  // The second reservation is refused by Redis, and its client sees the grant of the first.
  control.confuses = (args) => args[3] === '50'
  await expect(budget.reserve(50)).rejects.toMatchObject({ name: 'StateUnavailableError' })
  control.confuses = () => false
  await budget.flush()
  expect(await fleet.status()).toMatchObject({ reserved: 50, available: 10 })
})

test('a charge is settled although the first reply to its settlement belongs to another command', async () => {
  const { runner, control } = confusedRunner()
  const { budget, fleet } = await startFleet(runner, 100)
  const reservation = await budget.reserve(50)
  await reservation.confirm()
  let confused = 0
  control.confuses = (args) => args[2] === 's' && confused++ === 0
  reservation.settle(20)
  await expect.poll(() => confused).toBeGreaterThan(1)
  await budget.flush()
  expect(await fleet.status()).toMatchObject({ spent: 20, reserved: 0, uncertain: 0 })
})

test('a charge that is known is settled after the end of its lease', async () => {
  const redis = setup.connect()
  let isDown = false
  const runner: ScriptRunner = {
    async eval(script, keys, args) {
      if (isDown) throw new Error('Connection is closed.')
      return redis.eval(script, keys.length, ...keys, ...args)
    },
  }
  const lease = { timeoutMs: 900, leaseMs: 1_000 }
  const { budget, fleet } = await startFleet(runner, 100, HOUR, lease)
  const { fleet: other } = await startFleet(redis, 100, HOUR, lease)
  const reservation = await budget.reserve(50)
  await reservation.confirm()
  isDown = true
  reservation.settle(20)
  await expect.poll(async () => (await other.status()).uncertain).toBe(50)
  isDown = false
  await expect.poll(async () => (await fleet.status()).spent).toBe(20)
  expect(await fleet.status()).toMatchObject({ spent: 20, reserved: 0, uncertain: 0 })
})

test('what is charged after the clock of Redis was set right counts until its window ends by the right clock', async () => {
  const start = 1_800_000_000_000
  const runner = createTimedRunner(setup.connect(), start + YEAR)
  const { budget, fleet } = await startFleet(runner, 100)
  const spend = async (credits: number) => {
    const reservation = await budget.reserve(credits)
    await reservation.confirm()
    reservation.settle(credits)
    await budget.flush()
  }
  await spend(10)
  // In the middle of a window.
  runner.now = start + HOUR / 2
  await spend(10)
  // An hour after the clock was set back, the next window is half over.
  runner.now = start + 1.4 * HOUR
  await spend(80)
  runner.now = start + 1.6 * HOUR
  expect(await fleet.status()).toMatchObject({ spent: 80, available: 20 })
  await expect(spend(80)).rejects.toMatchObject({ code: 'budget_exceeded' })
  runner.now = start + 2 * HOUR
  expect(await fleet.status()).toMatchObject({ spent: 0, available: 100 })
})

test('a client of redis gets a time limit that is longer than that of the fleet', async () => {
  const given: object[] = []
  const client = {
    evalSha: async () => [],
    eval: async () => [],
    withCommandOptions(options: object) {
      given.push(options)
      return this
    },
  }
  createRedisFleet(client, { ...OPTIONS, timeoutMs: 30_000, leaseMs: 60_000 })
  expect(given).toEqual([{ timeout: 61_000 }])
})

/** One command after the other, as on one connection to a busy server. */
function lineRunner() {
  const redis = setup.connect()
  const control = { stepMs: 5, isSilent: false }
  let line: Promise<unknown> = Promise.resolve()
  const runner: ScriptRunner = {
    eval(script, keys, args) {
      line = line.then(async () => {
        const { stepMs } = control
        control.stepMs = 5
        await new Promise((resolve) => setTimeout(resolve, stepMs))
        return control.isSilent ? new Promise(() => {}) : redis.eval(script, keys.length, ...keys, ...args)
      })
      return line
    },
  }
  return { runner, control }
}

test('a burst that takes longer than timeoutMs is not refused while Redis answers, and one that is never answered is', async () => {
  const { runner, control } = lineRunner()
  const { budget, fleet } = await startFleet(runner, 1_000_000, HOUR, { timeoutMs: 500 })
  const reserved = await Promise.all(Array.from({ length: 150 }, () => budget.reserve(10)))
  for (const reservation of reserved) reservation.settle(10)
  await expect.poll(async () => (await fleet.status()).spent).toBe(1_500)
  control.isSilent = true
  await expect((async () => budget.reserve(10))()).rejects.toMatchObject({ code: 'state_unavailable' })
})

test('a burst behind a pause of Redis goes on when it answers: late answers show that it is there', async () => {
  const { runner, control } = lineRunner()
  const { budget, fleet } = await startFleet(runner, 1_000_000, HOUR, { timeoutMs: 1_000 })
  control.stepMs = 1_500
  // All of them are given up at the same time, and their commands still wait in line before each further one.
  const refused = await Promise.allSettled(Array.from({ length: 200 }, () => budget.reserve(10)))
  expect(refused.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(100)
  await expect(budget.reserve(10)).resolves.toMatchObject({ credits: 10 })
  await expect(fleet.status()).resolves.toMatchObject({ limit: 1_000_000 })
})

test('a cool-down that began while the clock of Redis was a year ahead ends after its own length', async () => {
  const runner = createTimedRunner(setup.connect(), 1_800_000_000_000)
  const { fleet } = await startFleet(runner, 100_000)
  const { key: apiKey, baseUrl, fetch } = setup.fake
  const client = createClient({ apiKey, baseUrl, fetch, fleet, retry: false, deadlineMs: 20_000 })
  setup.onEnd(() => client.close())
  setup.fake.script('etn.price', [{ status: 429, retryAfter: 1 }, 'ok'])
  runner.now += YEAR
  await expect(client.etn.price()).rejects.toMatchObject({ code: 'rate_limited' })
  await expect.poll(async () => (await fleet.status()).cooldowns.length).toBe(1)
  runner.now -= YEAR
  // Another process has learned of it while the clock was ahead; its next command sees how long it is.
  const other = createRedisFleet(runner, { ...OPTIONS, budget: { credits: 100_000, windowMs: HOUR } })
  setup.onEnd(() => other.close())
  const { budget } = fleetInternalsOf(other) ?? {}
  ;(await budget?.reserve(25))?.release()
  await budget?.flush()
  const [cooldown] = (await other.status()).cooldowns
  expect(cooldown?.until).toBeLessThanOrEqual(runner.now + 1_100)
})
