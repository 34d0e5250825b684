import { RateLimitError } from 'etn-market'
import type { ScriptRunner } from 'etn-market/redis'
import { expect, test } from 'vitest'
import { createTimedRunner } from '../support/redis-time.ts'
import { rejection } from '../support/setup.ts'
import { TOKENS, useFleet } from './setup.ts'

const setup = useFleet([], { heavyLatencyMs: 60 })

test('a server whose clock is set back hides no cool-down', async () => {
  const runner = createTimedRunner(setup.connect())
  let backMs = 0
  const redis: ScriptRunner = {
    eval(script, keys, args) {
      runner.now = Date.now() - backMs
      return runner.eval(script, keys, args)
    },
  }
  const [one, other] = await setup.joinAll(2, {}, {}, redis)
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

test('a 429 of one member holds every call with the key, of all members, and none with another key; no key is in Redis', async () => {
  const [one, other] = await setup.joinAll(2)
  setup.fake.addKeys({ another_key: 100_000 })
  const third = setup.join({}, { apiKey: 'another_key' })
  setup.fake.fault({ operation: 'etn.price', status: 429, retryAfter: 2 })
  await one!.client.etn.price({}, { retry: false }).catch(() => {})
  await one!.client.farm.list({}, { retry: false, deadlineMs: 50 }).catch(() => {})
  await one!.client.close()
  const error = await rejection(other!.client.nft.stats({}, { deadlineMs: 700 }), RateLimitError)
  expect(error).toMatchObject({ attempts: 0, charge: 'none', code: 'rate_limited' })
  await third.client.nft.stats()
  await other!.client.nft.stats()
  const [refused, held] = setup.fake.journal({ key: setup.fake.key })
  expect(held!.at).toBeGreaterThanOrEqual(refused!.at + 2_000)
  const [cooldown] = (await other!.fleet.status()).cooldowns
  expect(cooldown?.scope).toMatch(/^key:[0-9a-f]{32}$/)
  const kept = await setup.dump()
  expect(kept).toContain('etn-market:bots')
  expect(kept).not.toContain(setup.fake.key)
})

// That refusals of a minute and calls in flight stay at 15 together: `scripts/limits.test.ts`.
test('however many calls come, a fleet asks a service that refuses its key by one call at a time', async () => {
  const members = await setup.joinAll(3)
  setup.fake.fault({ status: 429, retryAfter: false, times: Number.POSITIVE_INFINITY })
  await members[0]!.client.etn.price({}, { retry: false }).catch(() => {})
  await expect.poll(async () => (await members[1]!.fleet.status()).cooldowns.length).toBe(1)
  const hammer = async ({ client }: (typeof members)[number], address: string) => {
    while (setup.fake.journal().length < 4) {
      await client.token.price({ address }, { retry: { limit: 5 }, deadlineMs: 1_000 }).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  await Promise.all(members.flatMap((member) => TOKENS.slice(0, 4).map((address) => hammer(member, address))))
  expect(setup.fake.journal().every(({ status }) => status === 429)).toBe(true)
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
  const [one] = await setup.joinAll(1)
  setup.fake.fault({ operation: 'etn.price', status: 429, retryAfter: 1 })
  await one!.client.etn.price({}, { retry: false }).catch(() => {})
  await expect.poll(async () => (await one!.fleet.status()).cooldowns.length).toBe(1)
  const { scope } = (await one!.fleet.status()).cooldowns[0]!
  // Fifteen refusals of the last minute, after the cool-down of the last one.
  const now = Date.now()
  const refusals = Array.from({ length: 15 }, (_, index) => [now - 58_000 + index, `refusal-${index}`])
  await direct.del(`{etn-market:bots}:refusals:${scope}`)
  await direct.zadd(`{etn-market:bots}:refusals:${scope}`, ...refusals.flat())
  await direct.hset('{etn-market:bots}:breakers', scope, `${now - 1}:1`)
  const late = setup.join({}, {}, redis)
  const error = await rejection(late.client.nft.stats({}, { deadlineMs: 700 }), RateLimitError)
  expect(error).toMatchObject({ attempts: 0, charge: 'none', code: 'rate_limited' })
  expect(error.retryAfterMs).toBeGreaterThan(700)
  await late.client.nft.stats()
  expect(commands).toBeLessThan(15)
})
