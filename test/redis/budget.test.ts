import { BudgetExceededError, InvalidRequestError, StateUnavailableError } from 'etn-market'
import { createRedisFleet } from 'etn-market/redis'
import { describe, expect, test } from 'vitest'
import { addresses, rejection } from '../support/setup.ts'
import { BOLT, DAY_MS, OPTIONS, TOKENS, useFleet } from './setup.ts'

const setup = useFleet()
const WINDOW = { name: 'bots', timeoutMs: 400, leaseMs: 1_000 }

test('members share one budget, and the fleet knows exactly what was spent', async () => {
  const inWindows = Array.from({ length: 3 }, () => setup.join({ budget: { credits: 1_000, windowMs: DAY_MS } }))
  const members = [...inWindows, setup.join({ budget: { creditsPerDay: 1_000 } })]
  await members[0]!.fleet.initialize()
  const calls = members.flatMap(({ client }) => TOKENS.map((address) => client.token.price({ address })))
  const extra = members.map(({ client }) => client.token.list({ limit: 100 }))
  const results = await Promise.allSettled([...calls, ...extra])
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  expect(failures.every((error) => error instanceof BudgetExceededError)).toBe(true)
  expect(setup.fake.charged()).toBeLessThanOrEqual(1_000)
  await expect.poll(async () => (await members[1]!.fleet.status()).reserved).toBe(0)
  expect(await members[2]!.fleet.status()).toMatchObject({
    limit: 1_000,
    spent: setup.fake.charged(),
    reserved: 0,
    uncertain: 0,
    available: 1_000 - setup.fake.charged(),
    slots: { limit: 2, taken: 0 },
    cooldowns: [],
  })
})

test('client.budget has the totals of the last answer', async () => {
  const { client, fleet } = setup.join()
  expect(client.budget).toMatchObject({ limit: 100_000, spent: 0, available: 100_000, resetsAt: undefined })
  await fleet.initialize()
  await client.etn.price()
  await expect.poll(() => client.budget.spent).toBe(25)
  const { resetsAt, available } = await fleet.status()
  expect(client.budget).toMatchObject({ reserved: 0, uncertain: 0, available, resetsAt })
})

test('a batch that cannot fit is refused before anything is sent', async () => {
  const { client, fleet } = setup.join({ budget: { credits: 700, windowMs: DAY_MS } })
  await fleet.initialize()
  const tokens = addresses(60)
  await rejection(client.prices.batch({ addresses: tokens }), BudgetExceededError)
  await client.token.price({ address: BOLT })
  await expect.poll(() => client.budget.spent).toBe(50)
  // Another member has spent the rest, so that the second of two requests does not fit.
  const other = setup.join({ budget: { credits: 700, windowMs: DAY_MS } })
  const batch = other.client.prices.batch({ addresses: tokens.slice(0, 51) })
  const error = await rejection(batch, BudgetExceededError)
  expect(error).toMatchObject({ needed: 710, available: 50, attempts: 0, charge: 'none', operation: 'prices.batch' })
  expect(error.resetsAt! % DAY_MS).toBe(0)
  expect(setup.fake.journal()).toHaveLength(1)
})

describe('initialize', () => {
  test('is needed, and its lack is reported', async () => {
    const { client, fleet } = setup.join()
    const error = await rejection(client.etn.price(), StateUnavailableError)
    expect(error).toMatchObject({ code: 'state_unavailable', attempts: 0, charge: 'none', operation: 'etn.price' })
    expect(error.message).toContain('etn.price: the fleet "bots" has no state in Redis')
    expect(error.message).toContain('Nothing was sent. Call initialize()')
    await rejection(fleet.status(), StateUnavailableError)
    await rejection(fleet.reconcile(client), StateUnavailableError)
    expect(setup.fake.journal()).toEqual([])
  })

  test('again is never a reset', async () => {
    const { client, fleet } = setup.join()
    await fleet.initialize()
    await client.etn.price()
    await expect.poll(async () => (await fleet.status()).spent).toBe(25)
    await fleet.initialize()
    expect((await fleet.status()).spent).toBe(25)
  })

  test.each([
    [{ budget: { credits: 50_000, windowMs: DAY_MS } }, 'has credits 100000, but this member expects credits 50000.'],
    [
      { budget: { credits: 100_000, windowMs: 60_000 } },
      'has windowMs 86400000, but this member expects windowMs 60000.',
    ],
    [{ budget: { credits: 100_000 } }, 'has windowMs 86400000, but this member expects no windowMs.'],
    [{ heavyConcurrency: 3 }, 'has heavyConcurrency 2, but this member expects heavyConcurrency 3.'],
    [{ leaseMs: 10_000 }, 'has leaseMs 20000, but this member expects leaseMs 10000.'],
    [{ maxChargeDelayMs: 1, leaseMs: 30_000 }, 'expects leaseMs 30000, maxChargeDelayMs 1.'],
  ])('refuses a member with %j, as its calls are, with both values', async (options, message) => {
    await setup.join().fleet.initialize()
    const { client, fleet } = setup.join(options)
    for (const run of [() => fleet.initialize(), () => fleet.status(), () => client.etn.price()]) {
      const error = await rejection(run(), InvalidRequestError)
      expect(error).toMatchObject({ code: 'fleet_mismatch', attempts: 0, charge: 'none' })
      expect(error.message).toContain(message)
    }
    expect(setup.fake.journal()).toEqual([])
  })
})

describe('initialize with a budget', () => {
  const start = async (credits: number, spent: number) => {
    const { client, fleet } = setup.join({ budget: { credits, windowMs: DAY_MS } })
    await fleet.initialize()
    for (const address of TOKENS.slice(0, spent / 50)) await client.token.price({ address })
    await expect.poll(async () => (await fleet.status()).spent).toBe(spent)
    return { client, fleet }
  }

  test('raises the limit, and keeps what is spent and what is in flight', async () => {
    const { client, fleet } = await start(200, 150)
    const answer = setup.hold('etn.price')
    const inFlight = client.etn.price()
    await expect.poll(() => setup.fake.journal({ operation: 'etn.price' }).length).toBe(1)
    await rejection(client.token.get({ address: BOLT }), BudgetExceededError)
    await fleet.initialize({ budget: { credits: 300 } })
    expect(await fleet.status()).toMatchObject({ limit: 300, spent: 150, reserved: 25, available: 125 })
    expect(client.budget).toMatchObject({ limit: 300, spent: 150, available: 125 })
    answer()
    await Promise.all([inFlight, client.token.get({ address: BOLT })])
    await expect.poll(async () => (await fleet.status()).spent).toBe(275)
    const error = await rejection(client.token.get({ address: BOLT }), BudgetExceededError)
    expect(error.message).toContain('has 25 of 300 credits left')
    expect(setup.fake.charged()).toBe(275)
  })

  test('lowers the limit, also below what is spent', async () => {
    const { client, fleet } = await start(1_000, 150)
    await fleet.initialize({ budget: { credits: 100, windowMs: DAY_MS } })
    expect(await fleet.status()).toMatchObject({ limit: 100, spent: 150, available: 0 })
    await rejection(client.etn.price(), BudgetExceededError)
  })

  test('is needed by the members that state another one, and for a new process that states this one', async () => {
    const { fleet } = await start(1_000, 50)
    const other = setup.join({ budget: { credits: 1_000, windowMs: DAY_MS } })
    const budget = { credits: 1_500, windowMs: DAY_MS }
    const deployed = setup.join({ budget })
    const error = await rejection(deployed.client.etn.price(), InvalidRequestError)
    expect(error.message).toContain('or change those of the fleet by initialize({ budget })')
    await deployed.fleet.initialize({ budget })
    expect(await deployed.fleet.status()).toMatchObject({ limit: 1_500, spent: 50, available: 1_450 })
    for (const run of [() => other.client.etn.price(), () => fleet.status()])
      await expect(run()).rejects.toMatchObject({ code: 'fleet_mismatch' })
    await other.fleet.initialize({ budget })
    await other.client.etn.price()
    await expect.poll(async () => (await deployed.fleet.status()).spent).toBe(75)
  })

  test('creates a fleet with it', async () => {
    const { fleet } = setup.join()
    await fleet.initialize({ budget: { credits: 70 } })
    expect(await fleet.status()).toMatchObject({ limit: 70, spent: 0 })
  })

  test('changes nothing else: what differs otherwise is refused', async () => {
    const { fleet } = await start(1_000, 50)
    const other = setup.join({ budget: { credits: 1_000, windowMs: DAY_MS }, heavyConcurrency: 3 })
    const changes = { budget: { credits: 2_000 } }
    await expect(other.fleet.initialize(changes)).rejects.toMatchObject({ code: 'fleet_mismatch' })
    const refused = [{ budget: { credits: 2_000, windowMs: 60_000 } }, { budget: { credits: -1 } }, { credits: 2_000 }]
    for (const one of refused)
      await expect(fleet.initialize(one as never)).rejects.toMatchObject({ code: 'invalid_option' })
    expect(await fleet.status()).toMatchObject({ limit: 1_000, spent: 50 })
  })
})

describe('close', () => {
  test('refuses later calls, and leaves the connection open', async () => {
    const redis = setup.connect()
    const { client, fleet } = setup.join({}, {}, redis)
    await fleet.initialize()
    await client.etn.price()
    await fleet.close()
    await expect(client.etn.price()).rejects.toMatchObject({ code: 'fleet_closed', attempts: 0, charge: 'none' })
    await expect(fleet.status()).rejects.toMatchObject({ code: 'fleet_closed' })
    expect(await redis.ping()).toBe('PONG')
    expect((await setup.join().fleet.status()).spent).toBe(25)
  })

  test('of a client waits for what is still to be written', async () => {
    const { client, fleet } = setup.join()
    await fleet.initialize()
    await client.etn.price()
    await client.close()
    expect(await fleet.status()).toMatchObject({ spent: 25, reserved: 0 })
  })
})

describe('options', () => {
  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'a}b' }, 'name'],
    [{ budget: { credits: -1 } }, 'budget.credits'],
    [{ budget: { credits: 2 ** 53 } }, 'budget.credits'],
    [{ budget: { credits: 1, windowMs: 0.5 } }, 'budget.windowMs'],
    [{ budget: { credits: 1, window: 1 } }, 'budget option'],
    [{ heavyConcurrency: 0 }, 'heavyConcurrency'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: 1_000, leaseMs: 1_000 }, 'leaseMs'],
    [{ maxChargeDelayMs: 0.5 }, 'maxChargeDelayMs'],
    [{ wait: { replicas: 0, timeoutMs: 10 } }, 'wait.replicas'],
    [{ wait: { replicas: 1, timeoutMs: 400 } }, 'wait.timeoutMs'],
    [{ lease: 1 }, 'fleet option'],
  ])('%j is not accepted', (options, name) => {
    const create = () => createRedisFleet(setup.connect(), { ...OPTIONS, ...WINDOW, ...(options as object) })
    expect(create).toThrow(InvalidRequestError)
    expect(create).toThrow(name)
  })

  test.each([[null], [{}], [{ get: () => {} }]])('%j is no connection', (redis) => {
    expect(() => createRedisFleet(redis as never, OPTIONS)).toThrow(/Invalid redis/)
  })

  test('a URL is no connection, and its password is not shown', () => {
    const create = () => createRedisFleet('redis://:open-sesame@127.0.0.1' as never, OPTIONS)
    expect(create).toThrow('Invalid redis: a text.')
  })

  test('wait needs a connection that has it', () => {
    const wait = { replicas: 1, timeoutMs: 100 }
    expect(() => createRedisFleet({ eval: async () => [] }, { ...OPTIONS, wait })).toThrow(/Invalid wait/)
  })

  test('a client takes a fleet instead of budget and heavyConcurrency', () => {
    for (const own of [{ budget: { credits: 1 } }, { heavyConcurrency: 1 }])
      expect(() => setup.join({}, own)).toThrow(/A fleet has a budget/)
    expect(() => setup.join({}, { fleet: {} as never })).toThrow(/Invalid fleet/)
  })
})
