import { StateUnavailableError } from 'etn-market'
import type { ScriptRunner } from 'etn-market/redis'
import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { BOLT, DAY_MS, lossesAreOld, PROMPT, TOKENS, useFleet } from './setup.ts'

/** Bugs of shared budgets that were published for another gateway: none of them is one here. */
const setup = useFleet()

test('check before reserve: of calls at the same moment only those are sent that fit together', async () => {
  const budget = { credits: 3 * 50 + 49, windowMs: DAY_MS }
  const members = Array.from({ length: 5 }, () => setup.join({ budget }))
  await members[0]!.fleet.initialize()
  const calls = members.flatMap(({ client }) => TOKENS.slice(0, 4).map((address) => client.token.price({ address })))
  const results = await Promise.allSettled(calls)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  expect(setup.fake.journal()).toHaveLength(3)
})

test('reservations that leak: after every kind of failure nothing stays reserved', async () => {
  const { client, fleet } = setup.join()
  await fleet.initialize()
  const never = { times: 1, operation: 'nft.stats' } as const
  const faults = [
    { ...never, status: 400 },
    { ...never, status: 500 },
    { ...never, html: 503 },
    { ...never, reset: 'before' },
    { ...never, malformed: true, creditHeaders: 'missing' },
  ] as const
  for (const fault of faults) {
    setup.fake.fault(fault)
    await client.nft.stats({}, { retry: false }).catch(() => {})
  }
  const stopped = new AbortController()
  const aborted = client.nft.stats({}, { signal: stopped.signal }).catch(() => {})
  stopped.abort()
  await aborted
  await client.token.price({ address: BOLT, chainId: 1 as 52014 }).catch(() => {})
  await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
  const { spent, uncertain } = await fleet.status()
  expect(spent).toBe(setup.fake.charged())
  // Only what was reset may have been charged.
  expect(uncertain).toBe(25)
})

test('counters that only grow: after time-outs the next window has all its credits', async () => {
  const { client, fleet } = setup.join({ budget: { credits: 60, windowMs: 1_000 } })
  await fleet.initialize()
  setup.fake.fault({ never: true, times: 2 })
  const lost = () => client.nft.stats({}, { timeoutMs: 50, retry: false }).catch((error: Error) => error.name)
  await expect
    .poll(async () => (await lost()) === 'BudgetExceededError' || (await fleet.status()).uncertain)
    .toSatisfy((seen) => seen === true || seen === 50)
  await expect.poll(async () => (await fleet.status()).available).toBe(60)
  await expect.poll(() => client.nft.stats()).toBeDefined()
})

test('reseeding by several: members that initialize at once after a flush make one state', async () => {
  const members = Array.from({ length: 8 }, () => setup.join())
  for (let round = 0; round < 3; round++) {
    await setup.server.command('FLUSHALL')
    await Promise.all(
      members.map(async ({ client, fleet }) => {
        await fleet.initialize()
        await client.etn.price()
        await fleet.initialize()
      }),
    )
    await expect.poll(async () => (await members[0]!.fleet.status()).reserved).toBe(0)
    expect(await members[0]!.fleet.status()).toMatchObject({ spent: 8 * 25, available: 100_000 - 8 * 25 })
  }
})

/** Turns of a window that a test goes through, as fast as the machine allows. */
const WINDOWS = 6

test('a window that is reset by SET: at every turn of a window, each charge counts in one window, and none has too many', async () => {
  const redis = setup.connect()
  const settled = new Map<string, number>()
  const budget = { credits: 500, windowMs: 200 }
  const members = Array.from({ length: 4 }, () => setup.join({ budget }, {}, recordSettlements(redis, settled)))
  await members[0]!.fleet.initialize()
  const end = performance.now() + 30_000
  const isOver = () => settled.size > WINDOWS || performance.now() > end
  await Promise.all(
    members.flatMap(({ client }) =>
      TOKENS.slice(0, 4).map(async (address) => {
        while (!isOver()) {
          await client.token.price({ address }).catch((error: { resetsAt?: number }) => {
            const waitMs = Math.max(0, (error.resetsAt ?? 0) - Date.now())
            return new Promise((resolve) => setTimeout(resolve, Math.min(200, waitMs)))
          })
        }
      }),
    ),
  )
  await Promise.all(members.map(({ client }) => client.close()))
  expect(settled.size).toBeGreaterThan(WINDOWS)
  expect([...settled.values()].filter((credits) => credits > 500)).toEqual([])
  expect([...settled.values()].reduce((sum, credits) => sum + credits, 0)).toBe(setup.fake.charged())
})

/** What every settlement counted, by the window that it counts in. */
function recordSettlements(redis: Redis, settled: Map<string, number>): ScriptRunner {
  return {
    async eval(script, keys, args) {
      const answer = (await redis.eval(script, keys.length, ...keys, ...args)) as string[]
      if (args[1] === 's' && answer[0] === 's') settled.set(args[4]!, (settled.get(args[4]!) ?? 0) + Number(args[2]))
      return answer
    },
  }
}

test('a failed reconciliation that is swallowed: whichever step fails, no figure changes', async () => {
  const redis = setup.connect()
  let fails: (script: string, args: string[]) => boolean = () => false
  const runner: ScriptRunner = {
    async eval(script, keys, args) {
      if (fails(script, args)) throw new Error('Connection is closed.')
      return redis.eval(script, keys.length, ...keys, ...args)
    },
  }
  const { client, fleet } = setup.join(PROMPT, { retry: false }, runner)
  await fleet.initialize()
  expect(await fleet.reconcile(client)).toBeUndefined()
  setup.fake.fault({ operation: 'nft.stats', reset: 'after' })
  await client.nft.stats().catch(() => {})
  await expect.poll(async () => (await fleet.status()).uncertain).toBe(25)
  const before = await fleet.status()
  setup.fake.fault({ operation: 'account.me', status: 500 })
  await expect(fleet.reconcile(client)).rejects.toMatchObject({ name: 'ServiceError' })
  // Each with the id of the command.
  for (const length of [4, 8]) {
    fails = (_, args) => args.length === length && args[0]!.includes(' ')
    await expect(fleet.reconcile(client)).rejects.toBeInstanceOf(StateUnavailableError)
  }
  fails = () => false
  expect(await fleet.status()).toEqual(before)
  await lossesAreOld()
  expect(await fleet.reconcile(client)).toEqual({ charged: 25, freed: 0 })
  expect(await fleet.status()).toMatchObject({ spent: 25, uncertain: 0 })
  expect(setup.fake.charged()).toBe(25)
})
