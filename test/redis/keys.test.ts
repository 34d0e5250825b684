import { type ClientEvent, type FetchLike, StateUnavailableError } from 'etn-market'
import type { ScriptRunner } from 'etn-market/redis'
import { expect, test } from 'vitest'
import { createKeyNames } from '../../src/credits/key-name.ts'
import { fleetInternalsOf } from '../../src/fleet/fleet.ts'
import { RECONCILE } from '../../src/redis/scripts/reconcile.lua.ts'
import { BOLT, lossesAreOld, PROMPT, SHORT_LEASE, useFleet } from './setup.ts'

const CREDITS = 1_000_000
const [FIRST, SECOND] = ['esk_live_first_key', 'esk_live_second_key'] as const
const setup = useFleet([], { keys: { [FIRST]: CREDITS, [SECOND]: 200_000 } })

/** A fleet whose members spend with two keys, both of whose balances are known. */
async function useTwoKeys(fleetOptions = {}) {
  const options = { retry: false } as const
  const one = setup.join({ ...PROMPT, ...fleetOptions }, { ...options, apiKey: FIRST })
  const other = setup.join({ ...PROMPT, ...fleetOptions }, { ...options, apiKey: SECOND })
  const { fleet } = one
  await fleet.initialize()
  expect(await fleet.reconcile(one.client)).toBeUndefined()
  expect(await fleet.reconcile(other.client)).toBeUndefined()
  const settled = async () => {
    await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
    await lossesAreOld()
    const { spent, uncertain } = await fleet.status()
    return { spent, uncertain }
  }
  return { one: one.client, other: other.client, fleet, settled, events: one.events }
}

test('a balance proves what its own key lost, and nothing of another key', async () => {
  const { one, other, fleet, settled } = await useTwoKeys()
  setup.fake.fault({ operation: 'token.get', key: FIRST, reset: 'after', times: 2 })
  for (let time = 0; time < 2; time++) await one.token.get({ address: BOLT }).catch(() => {})
  await other.etn.price()
  expect(await settled()).toEqual({ spent: 25, uncertain: 200 })
  // The balance of the second key is 800,000 lower than that of the first, and fell by the 25 that are known.
  expect(await fleet.reconcile(other)).toEqual({ charged: 0, freed: 0 })
  expect(await settled()).toEqual({ spent: 25, uncertain: 200 })
  expect(await fleet.reconcile(one)).toEqual({ charged: 200, freed: 0 })
  expect(await settled()).toEqual({ spent: 225, uncertain: 0 })
  expect(setup.fake.charged()).toBe(225)
})

test('a key function that changes its key is compared with the key that the balance was read with', async () => {
  const keys = { next: FIRST as string }
  const { client, fleet } = setup.join(PROMPT, { retry: false, apiKey: () => keys.next })
  await fleet.initialize()
  const read = async (key: string) => {
    keys.next = key
    return fleet.reconcile(client)
  }
  await read(FIRST)
  await read(SECOND)
  keys.next = FIRST
  setup.fake.fault({ operation: 'token.get', reset: 'after' })
  await client.token.get({ address: BOLT }).catch(() => {})
  await expect.poll(async () => (await fleet.status()).uncertain).toBe(100)
  await lossesAreOld()
  expect(await read(SECOND)).toEqual({ charged: 0, freed: 0 })
  expect(await read(FIRST)).toEqual({ charged: 100, freed: 0 })
})

test('the first request of a process that ends is proven by the balance of its key alone', async () => {
  const { one, other, fleet } = await useTwoKeys(SHORT_LEASE)
  const dying = setup.join({ ...PROMPT, ...SHORT_LEASE }).fleet
  const { budget } = fleetInternalsOf(dying) ?? {}
  const held = await budget?.reserve(100)
  await held?.confirm({}, createKeyNames()(FIRST))
  // No further command: its lease ends.
  await dying.close()
  await expect.poll(async () => (await fleet.status()).uncertain, { timeout: 4_000 }).toBe(100)
  expect(await fleet.reconcile(other)).toEqual({ charged: 0, freed: 0 })
  expect((await fleet.status()).uncertain).toBe(100)
  await lossesAreOld()
  expect(await fleet.reconcile(one)).toEqual({ charged: 0, freed: 100 })
})

test('a balance that another call has asked for proves nothing: it may be older than the look at the ledger', async () => {
  const { one, fleet, settled, events } = await useTwoKeys()
  setup.fake.fault({ operation: 'token.get', reset: 'after' })
  await one.token.get({ address: BOLT }).catch(() => {})
  await settled()
  const release = setup.hold('account.me')
  const earlier = one.account.me()
  await expect.poll(() => setup.fake.journal({ operation: 'account.me' }).length).toBe(3)
  const shared = fleet.reconcile(one)
  // A call joins another one in the tick in which it starts. Before that, Redis is asked.
  const isAsked = (event: ClientEvent) => event.type === 'call.started' && event.operation === 'account.me'
  await expect.poll(() => events.filter(isAsked).length).toBe(3)
  release()
  await earlier
  expect(await shared).toBeUndefined()
  expect(await fleet.reconcile(one)).toEqual({ charged: 100, freed: 0 })
})

test('requests that are left before the service executes and charges them stay within the limit', async () => {
  const limit = 4_100
  const lateMs = 300
  let leave = () => {}
  const late: Promise<unknown>[] = []
  /** Charges heavy requests at their end, whether or not anybody still waits. */
  const fetch: FetchLike = (url, { headers, signal }) => {
    const execute = () => setup.fake.fetch(url, { headers })
    if (!url.includes('/liquidity-locks')) return execute()
    const executed = new Promise((resolve) => setTimeout(resolve, lateMs)).then(execute)
    late.push(executed)
    setTimeout(leave, 5)
    return new Promise((resolve, reject) => {
      executed.then(resolve, reject)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }
  const { client, fleet } = setup.join({ budget: { credits: limit } }, { retry: false, fetch })
  await fleet.initialize()
  await fleet.reconcile(client)
  for (let round = 0; round < 4; round++) {
    const leaving = new AbortController()
    leave = () => leaving.abort()
    await client.locks.get({ address: BOLT }, { signal: leaving.signal }).catch(() => {})
    await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
    await fleet.reconcile(client)
    await client.etn.price().catch(() => {})
    await Promise.all(late)
  }
  expect(setup.fake.charged()).toBeGreaterThanOrEqual(4_000)
  expect(setup.fake.charged()).toBeLessThanOrEqual(limit)
  await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
  await fleet.reconcile(client)
  const { spent, uncertain } = await fleet.status()
  expect(spent).toBe(setup.fake.charged())
  expect(spent + uncertain).toBeLessThanOrEqual(limit)
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
  for (const length of [3, 7]) {
    fails = (script, args) => script === RECONCILE && args.length === length
    await expect(fleet.reconcile(client)).rejects.toBeInstanceOf(StateUnavailableError)
  }
  fails = () => false
  expect(await fleet.status()).toEqual(before)
  await lossesAreOld()
  expect(await fleet.reconcile(client)).toEqual({ charged: 25, freed: 0 })
  expect(await fleet.status()).toMatchObject({ spent: 25, uncertain: 0 })
  expect(setup.fake.charged()).toBe(25)
})

test('what is no client is refused', async () => {
  const { fleet } = setup.join()
  await fleet.initialize()
  const me = async () => ({ key: 'k', credits: 5, tier: 'free' })
  await expect(fleet.reconcile({ account: { me } } as never)).rejects.toMatchObject({ code: 'invalid_option' })
})
