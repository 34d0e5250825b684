import { ServerBusyError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { rejection } from '../support/setup.ts'
import { BOLT, SHORT_LEASE, TOKENS, useFleet } from './setup.ts'

const setup = useFleet([], { heavyLatencyMs: 60 })

describe('heavy calls', () => {
  test('of all members are two at a time, and each member has its turn', async () => {
    const members = await setup.joinAll(4)
    await Promise.all(
      members.flatMap(({ client }) => TOKENS.slice(0, 4).map((address) => client.locks.get({ address }))),
    )
    expect(setup.fake.peakInFlight({ heavy: true })).toBe(2)
    // Nobody was refused: the fleet asked for no third slot.
    expect(setup.fake.journal().every(({ status }) => status === 200)).toBe(true)
    expect(setup.fake.charged()).toBe(32_000)
    await expect.poll(async () => (await members[0]!.fleet.status()).slots.taken).toBe(0)
  })

  test('do not hold up light ones, and the wait does not count for the deadline while those before them are answered', async () => {
    const [one, other] = await setup.joinAll(2)
    setup.fake.fault({ operation: 'locks.get', nth: [1, 2, 3, 4, 5, 6, 7, 8], delayMs: 300 })
    const heavy = TOKENS.slice(0, 8).map((address) => one!.client.locks.get({ address }))
    await expect.poll(() => setup.fake.journal().length).toBe(2)
    const waiting = other!.client.locks.get({ address: BOLT }, { deadlineMs: 1_000 })
    await other!.client.etn.price()
    expect(setup.fake.journal({ operation: 'locks.get' }).length).toBeLessThan(9)
    const startedAt = performance.now()
    await Promise.all([...heavy, waiting])
    expect(performance.now() - startedAt).toBeGreaterThan(1_000)
  })

  test('that are aborted while they wait leave their place', async () => {
    const [one, other] = await setup.joinAll(2)
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
    const [one, other] = await setup.joinAll(2)
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

test('a heavy call in flight keeps its lease and its slot, also when the cool-down in which it was admitted is over', async () => {
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const [one] = await setup.joinAll(1, { ...SHORT_LEASE, heavyConcurrency: 3 })
  const slow = setup.join(
    { ...SHORT_LEASE, heavyConcurrency: 3 },
    {
      fetch: async (url, init) => {
        await isAnswered
        return setup.fake.fetch(url, init)
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
  await expect.poll(async () => (await one!.fleet.status()).reserved).toBe(2_000)
  const end = performance.now() + 1.5 * SHORT_LEASE.leaseMs
  while (performance.now() < end) {
    expect(await one!.fleet.status()).toMatchObject({ reserved: 2_000, uncertain: 0, slots: { taken: 1 } })
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  answer()
  await call
})
