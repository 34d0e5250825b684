import { BudgetExceededError, StateUnavailableError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { type RedisServer, startRedisServer } from '../support/redis-server.ts'
import { rejection } from '../support/setup.ts'
import { DAY_MS, type TestMember, TOKENS, useFleet } from './setup.ts'

const setup = useFleet()
const LIMIT = 500
const budget = { credits: LIMIT, windowMs: DAY_MS }

/** Members on a server of their own, which stores what it is told to. */
async function start(count: number, ...serverOptions: string[]) {
  const server = await startRedisServer(...serverOptions)
  setup.onEnd(() => server.close())
  const join = () => setup.join({ budget }, {}, setup.connect(server.port))
  const members = Array.from({ length: count }, join)
  await members[0]!.fleet.initialize()
  return { server, members, join }
}

async function spend({ client, fleet }: TestMember, times: number): Promise<void> {
  const before = setup.fake.charged()
  await Promise.all(TOKENS.slice(0, times).map((address) => client.token.price({ address })))
  await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
  expect(setup.fake.charged()).toBe(before + 50 * times)
}

/** A snapshot, more purchases, and a crash: the server begins with the snapshot. */
async function crashAfter(server: RedisServer, snapshotThen: () => Promise<unknown>): Promise<void> {
  expect(await server.command('SAVE')).toContain('OK')
  await snapshotThen()
  await server.restart()
}

async function expectLost({ client, fleet }: TestMember): Promise<void> {
  const sent = setup.fake.journal().length
  const error = await rejection(client.etn.price(), StateUnavailableError)
  expect(error).toMatchObject({ code: 'state_lost', attempts: 0, charge: 'none', operation: 'etn.price' })
  expect(error.message).toContain('Call reconcile(client) if nobody else spends with the key, or initialize().')
  await expect(fleet.status()).rejects.toMatchObject({ code: 'state_lost' })
  expect(setup.fake.journal()).toHaveLength(sent)
}

describe('a server that starts from an old snapshot', () => {
  test('is not believed: nobody spends until initialize(), which counts what members have seen', async () => {
    const { server, members, join } = await start(2)
    await crashAfter(server, () => spend(members[0]!, 10))
    await expectLost(members[0]!)
    // Nor do those that have seen nothing, because one of them has told.
    await expectLost(join())
    await expectLost(members[1]!)
    const newcomer = join()
    await newcomer.fleet.initialize()
    for (const { client, fleet } of [...members, newcomer]) {
      expect(await fleet.status()).toMatchObject({ spent: LIMIT, reserved: 0, uncertain: 0, available: 0 })
      await rejection(client.etn.price(), BudgetExceededError)
    }
    expect(setup.fake.charged()).toBe(LIMIT)
  })

  test('goes on after reconcile(), which finds what was spent', async () => {
    const { server, members } = await start(2)
    await members[0]!.fleet.reconcile(members[0]!.client)
    await spend(members[0]!, 2)
    await crashAfter(server, () => spend(members[0]!, 4))
    await expectLost(members[0]!)
    expect(await members[1]!.fleet.reconcile(members[1]!.client)).toEqual({ charged: 200, freed: 0 })
    await spend(members[0]!, 3)
    await expect.poll(async () => (await members[1]!.fleet.status()).spent).toBe(450)
    expect(await members[0]!.fleet.status()).toMatchObject({ spent: 450, reserved: 0, uncertain: 0 })
    expect(setup.fake.charged()).toBe(450)
  })

  test('does not go on after a reconcile() that has no balance from before to compare with', async () => {
    const { server, members } = await start(1)
    const [{ client, fleet }] = members as [TestMember]
    await crashAfter(server, () => spend(members[0]!, 6))
    await expectLost(members[0]!)
    expect(await fleet.reconcile(client)).toBeUndefined()
    expect(await fleet.reconcile(client)).toEqual({ charged: 0, freed: 0 })
    await expectLost(members[0]!)
    await fleet.initialize()
    expect(await fleet.status()).toMatchObject({ spent: 300, uncertain: 0 })
  })

  test('counts a request that was in flight once', async () => {
    const { server, members } = await start(2)
    const answer = setup.hold('nft.stats')
    let call: Promise<unknown> = Promise.resolve()
    await crashAfter(server, async () => {
      call = Promise.resolve(members[0]!.client.nft.stats())
      await expect.poll(() => setup.fake.journal().length).toBe(1)
    })
    // Its reservation is forgotten, and what it holds must not be spent by others.
    await expect(members[0]!.fleet.status()).rejects.toMatchObject({ code: 'state_lost' })
    await expectLost(members[0]!)
    await expectLost(members[1]!)
    answer()
    await call
    await members[0]!.client.close()
    await members[0]!.fleet.initialize()
    expect(await members[1]!.fleet.status()).toMatchObject({ spent: 25, reserved: 0, uncertain: 0 })
  })

  test('twice in one window is not believed either time', async () => {
    const { server, members } = await start(1)
    await crashAfter(server, () => spend(members[0]!, 4))
    await expectLost(members[0]!)
    await members[0]!.fleet.initialize()
    await spend(members[0]!, 3)
    // The snapshot is still the first one.
    await server.restart()
    await expectLost(members[0]!)
    await members[0]!.fleet.initialize()
    expect(await members[0]!.fleet.status()).toMatchObject({ spent: 350, uncertain: 0 })
    expect(setup.fake.charged()).toBe(350)
  })
})

test('a server that writes each command forgets nothing', async () => {
  const { server, members } = await start(1, '--appendonly', 'yes', '--appendfsync', 'always')
  await spend(members[0]!, 6)
  await server.restart()
  await spend(members[0]!, 4)
  expect(await members[0]!.fleet.status()).toMatchObject({ spent: LIMIT, uncertain: 0 })
  await rejection(members[0]!.client.etn.price(), BudgetExceededError)
})

test('a server that has lost all: initialize() counts what its member has seen', async () => {
  const { server, members } = await start(1)
  await spend(members[0]!, 10)
  await server.restart()
  await expect(members[0]!.fleet.status()).rejects.toMatchObject({ code: 'state_unavailable' })
  await members[0]!.fleet.initialize()
  expect(await members[0]!.fleet.status()).toMatchObject({ spent: LIMIT, available: 0 })
})
