import { StateUnavailableError } from 'etn-market'
import type { ScriptRunner } from 'etn-market/redis'
import { expect, test } from 'vitest'
import { BOLT, lossesAreOld, PROMPT, useFleet } from './setup.ts'

/** Bugs of shared budgets that were published for another gateway: none of them is one here. Those of counts and windows: `conformance.test.ts`. */
const setup = useFleet()

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
