import { RateLimitError, ServerBusyError } from 'etn-market'
import type { ScriptRunner } from 'etn-market/redis'
import { describe, expect, test } from 'vitest'
import { createTimedRunner } from '../support/redis-time.ts'
import { rejection } from '../support/setup.ts'
import { BOLT, SHORT_LEASE, TOKENS, useFleet } from './setup.ts'

const setup = useFleet([], { heavyLatencyMs: 60 })

async function joinAll(count: number, ...options: Parameters<typeof setup.join>) {
  const members = Array.from({ length: count }, () => setup.join(...options))
  await members[0]!.fleet.initialize()
  return members
}

describe('heavy calls', () => {
  test('of all members are two at a time, and each member has its turn', async () => {
    const members = await joinAll(4)
    await Promise.all(
      members.flatMap(({ client }) => TOKENS.slice(0, 4).map((address) => client.locks.get({ address }))),
    )
    expect(setup.fake.peakInFlight({ heavy: true })).toBe(2)
    // Nobody was refused: the fleet asked for no third slot.
    expect(setup.fake.journal().every(({ status }) => status === 200)).toBe(true)
    expect(setup.fake.charged()).toBe(32_000)
    await expect.poll(async () => (await members[0]!.fleet.status()).slots.taken).toBe(0)
  })

  test('do not hold up light ones, and the wait does not count for the deadline', async () => {
    const [one, other] = await joinAll(2)
    setup.fake.fault({ operation: 'locks.get', nth: [1, 2], delayMs: 700 })
    const heavy = TOKENS.slice(0, 8).map((address) => one!.client.locks.get({ address }))
    await expect.poll(() => setup.fake.journal().length).toBe(2)
    const waiting = other!.client.locks.get({ address: BOLT }, { deadlineMs: 500 })
    await other!.client.etn.price()
    expect(setup.fake.journal({ operation: 'locks.get' }).length).toBeLessThan(9)
    await Promise.all([...heavy, waiting])
  })

  test('that are aborted while they wait leave their place', async () => {
    const [one, other] = await joinAll(2)
    const answer = setup.hold('locks.get')
    const heavy = TOKENS.slice(0, 2).map((address) => one!.client.locks.get({ address }))
    await expect.poll(() => setup.fake.journal().length).toBe(2)
    const controller = new AbortController()
    const aborted = other!.client.locks.get({ address: BOLT }, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 20)
    await expect(aborted).rejects.toThrow('enough')
    answer()
    await Promise.all(heavy)
    await one!.client.locks.get({ address: BOLT })
    expect(setup.fake.journal()).toHaveLength(3)
    await expect.poll(async () => (await other!.fleet.status()).reserved).toBe(0)
  })
})

describe('a 503 of one member', () => {
  test('holds the heavy calls of all; afterwards one probe goes first', async () => {
    const [one, other] = await joinAll(2)
    setup.fake.fault({ operation: 'farm.list', status: 503, code: 'server_busy', retryAfter: 2 })
    await one!.client.farm.list({}, { retry: false }).catch(() => {})
    await expect.poll(async () => (await other!.fleet.status()).cooldowns.length).toBe(1)
    expect((await other!.fleet.status()).cooldowns[0]).toMatchObject({ scope: 'heavy' })
    // Too long for this call: it fails at once, and sends nothing.
    const error = await rejection(other!.client.farm.list({}, { deadlineMs: 700 }), ServerBusyError)
    expect(error).toMatchObject({ attempts: 0, charge: 'none', code: 'server_busy' })
    await other!.client.etn.price()
    expect(setup.fake.journal({ operation: 'farm.list' })).toHaveLength(1)
    const calls = TOKENS.slice(0, 3).flatMap((address) =>
      [one!, other!].map(({ client }) => client.locks.get({ address })),
    )
    await Promise.all(calls)
    const locks = setup.fake.journal({ operation: 'locks.get' })
    const [first, ...rest] = locks.map(({ at }) => at).sort((a, b) => a - b)
    expect(rest.every((at) => at >= first! + 60)).toBe(true)
    await expect.poll(async () => (await one!.fleet.status()).cooldowns.length).toBe(0)
  })
})

test('a heavy call in flight keeps its slot when the cool-down in which it was admitted is over', async () => {
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const [one] = await joinAll(1, { ...SHORT_LEASE, heavyConcurrency: 3 })
  const slow = setup.join(
    { ...SHORT_LEASE, heavyConcurrency: 3 },
    {
      fetch: async (input, init) => {
        await isAnswered
        return setup.fake.fetch(input as Request, init)
      },
    },
  )
  setup.fake.fault({ operation: 'farm.list', status: 503, code: 'server_busy', retryAfter: 1 })
  await one!.client.farm.list({}, { retry: false }).catch(() => {})
  await one!.client.locks.get({ address: BOLT })
  const call = slow.client.locks.get({ address: BOLT })
  await expect.poll(async () => (await one!.fleet.status()).slots.taken).toBe(1)
  await one!.client.locks.get({ address: BOLT })
  await expect.poll(async () => (await one!.fleet.status()).cooldowns.length).toBe(0)
  const end = performance.now() + 1.5 * SHORT_LEASE.leaseMs
  while (performance.now() < end) {
    expect((await one!.fleet.status()).slots.taken).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  answer()
  await call
})

test('a server whose clock is set back hides no cool-down', async () => {
  const runner = createTimedRunner(setup.connect())
  let backMs = 0
  const redis: ScriptRunner = {
    eval(script, keys, args) {
      runner.now = Date.now() - backMs
      return runner.eval(script, keys, args)
    },
  }
  const [one, other] = await joinAll(2, {}, {}, redis)
  await one!.client.etn.price()
  await other!.client.etn.price()
  backMs = 600_000
  setup.fake.fault({ operation: 'etn.price', status: 429, retryAfter: 2 })
  await one!.client.etn.price({}, { retry: false }).catch(() => {})
  await expect.poll(async () => (await one!.fleet.status()).cooldowns.length).toBe(1)
  const error = await rejection(other!.client.nft.stats({}, { deadlineMs: 700 }), RateLimitError)
  expect(error).toMatchObject({ attempts: 0, charge: 'none', code: 'rate_limited' })
  await other!.client.nft.stats()
})

describe('a 429 of one member', () => {
  test('holds every call with the key, of all members, and none with another key', async () => {
    const [one, other] = await joinAll(2)
    setup.fake.addKey('another_key', { credits: 100_000 })
    const third = setup.join({}, { apiKey: 'another_key' })
    setup.fake.fault({ operation: 'etn.price', status: 429, retryAfter: 2 })
    await one!.client.etn.price({}, { retry: false }).catch(() => {})
    await one!.client.close()
    const error = await rejection(other!.client.nft.stats({}, { deadlineMs: 700 }), RateLimitError)
    expect(error).toMatchObject({ attempts: 0, charge: 'none', code: 'rate_limited' })
    await third.client.nft.stats()
    await other!.client.nft.stats()
    const [refused, held] = setup.fake.journal({ key: setup.fake.key })
    expect(held!.at).toBeGreaterThanOrEqual(refused!.at + 2_000)
    const [cooldown] = (await other!.fleet.status()).cooldowns
    expect(cooldown?.scope).toMatch(/^key:[0-9a-f]{32}$/)
  })

  test('shows no key in Redis', async () => {
    const [one] = await joinAll(1)
    setup.fake.fault({ operation: 'etn.price', status: 429, retryAfter: 1 })
    await one!.client.etn.price({}, { retry: false }).catch(() => {})
    await one!.client.farm.list({}, { retry: false, deadlineMs: 50 }).catch(() => {})
    await expect.poll(async () => (await one!.fleet.status()).cooldowns.length).toBe(1)
    const text = await setup.dump()
    expect(text).toContain('etn-market:bots')
    expect(text).not.toContain(setup.fake.key)
  })
})

test('however the calls of a fleet come, refusals of a minute and calls in flight stay at 15 together', async () => {
  const members = await joinAll(4)
  // A service that refuses the key for good.
  setup.fake.fault({ status: 429, retryAfter: false, times: Number.POSITIVE_INFINITY })
  await members[0]!.client.etn.price({}, { retry: false }).catch(() => {})
  await expect.poll(async () => (await members[1]!.fleet.status()).cooldowns.length).toBe(1)
  const end = performance.now() + 3_000
  const hammer = async ({ client }: (typeof members)[number], address: string) => {
    while (performance.now() < end)
      await client.token.price({ address }, { retry: { limit: 5 }, deadlineMs: 1_000 }).catch(() => {})
  }
  await Promise.all(members.flatMap((member) => TOKENS.map((address) => hammer(member, address))))
  const refusals = setup.fake.journal().filter(({ status }) => status === 429)
  expect(refusals.length).toBeGreaterThan(2)
  expect(refusals.length).toBeLessThanOrEqual(15)
  // Not more than one at a time, after the first.
  expect(setup.fake.peakInFlight()).toBe(1)
})

test('a call that too many recent refusals hold fails at once, or waits without asking again and again', async () => {
  const direct = setup.connect()
  let commands = 0
  const redis: ScriptRunner = {
    eval(script, keys, args) {
      commands++
      return direct.eval(script, keys.length, ...keys, ...args)
    },
  }
  const [one] = await joinAll(1)
  setup.fake.fault({ operation: 'etn.price', status: 429, retryAfter: 1 })
  await one!.client.etn.price({}, { retry: false }).catch(() => {})
  await expect.poll(async () => (await one!.fleet.status()).cooldowns.length).toBe(1)
  const { scope } = (await one!.fleet.status()).cooldowns[0]!
  // Fifteen refusals of the last minute, after the cool-down of the last one.
  const now = Date.now()
  const refusals = Array.from({ length: 15 }, (_, index) => [now - 58_000 + index, `refusal-${index}`])
  await direct.del(`{etn-market:bots}:refusals:${scope}`)
  await direct.zadd(`{etn-market:bots}:refusals:${scope}`, ...refusals.flat())
  await direct.hset('{etn-market:bots}:guards', scope, `${now - 1}:1`)
  const late = setup.join({}, {}, redis)
  const error = await rejection(late.client.nft.stats({}, { deadlineMs: 700 }), RateLimitError)
  expect(error).toMatchObject({ attempts: 0, charge: 'none', code: 'rate_limited' })
  expect(error.retryAfterMs).toBeGreaterThan(700)
  await late.client.nft.stats()
  expect(commands).toBeLessThan(15)
})
