import { StateUnavailableError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { rejection } from '../support/setup.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { within } from '../support/wait.ts'
import { CONNECTIONS } from './connections.ts'
import { BOLT, TOKENS, useFleet } from './setup.ts'

const setup = useFleet()

describe.each(Object.entries(CONNECTIONS))('%s', (_, connect) => {
  async function join() {
    const proxy = await startTcpProxy(setup.server.port)
    setup.onEnd(() => proxy.close())
    const { redis, close } = await connect(proxy.port)
    setup.onEnd(close)
    const member = setup.join({}, {}, redis)
    await member.fleet.initialize()
    return { ...member, proxy, redis }
  }
  const expectQuiet = async (fleet: Awaited<ReturnType<typeof join>>['fleet'], spent: number) =>
    expect.poll(() => fleet.status()).toMatchObject({ reserved: 0, uncertain: 0, spent })

  test('reserves, settles and admits', async () => {
    const { client, fleet } = await join()
    await Promise.all([
      ...TOKENS.map((address) => client.token.price({ address })),
      client.farm.list(),
      client.locks.get({ address: BOLT }),
    ])
    expect(setup.fake.charged()).toBe(5_500)
    await expectQuiet(fleet, 5_500)
    await expect.poll(async () => (await fleet.status()).slots.taken).toBe(0)
  })

  test('says why a member is refused', async () => {
    const { redis, close } = await connect(setup.server.port)
    setup.onEnd(close)
    const { client, fleet } = setup.join({}, {}, redis)
    const error = await rejection(client.etn.price(), StateUnavailableError)
    expect(error.message).toContain('the fleet "bots" has no state in Redis')
    expect((error.cause as Error).message).toMatch(/^NOTINITIALIZED The fleet has no state\. [\w.]+$/)
    await fleet.initialize()
    const other = setup.join({ leaseMs: 10_000 }, {}, redis)
    await expect(other.fleet.status()).rejects.toMatchObject({ code: 'fleet_mismatch' })
  })

  test('heals a server that has forgotten its scripts', async () => {
    const { client, fleet } = await join()
    await client.etn.price()
    await setup.server.command('SCRIPT', 'FLUSH')
    await client.etn.price()
    await expectQuiet(fleet, 50)
  })

  test('a lost answer to a reservation counts once, or not at all', async () => {
    const { client, fleet, proxy } = await join()
    await client.etn.price()
    await expectQuiet(fleet, 25)
    const lost = proxy.loseNextAnswer()
    const result = await client.etn.price().catch((error: unknown) => error)
    await within('the loss of an answer', lost)
    // The client sends it again by itself, or the call is refused.
    const isSent = !(result instanceof StateUnavailableError)
    expect(setup.fake.journal()).toHaveLength(isSent ? 2 : 1)
    await expectQuiet(fleet, isSent ? 50 : 25)
  })

  test('a lost answer to a settlement counts once', async () => {
    const { client, fleet, proxy } = await join()
    const answer = setup.hold('etn.price')
    const call = client.etn.price()
    await expect.poll(() => setup.fake.journal().length).toBe(1)
    const lost = proxy.loseNextAnswer()
    answer()
    await call
    await within('the loss of an answer', lost)
    await expectQuiet(fleet, 25)
  })

  test('a connection that is cut, again and again, loses no credit', async () => {
    const { client, fleet, proxy } = await join()
    const results: Promise<unknown>[] = []
    for (let cut = 0; cut < 5; cut++) {
      for (const address of TOKENS.slice(cut, cut + 3)) {
        results.push(client.token.price({ address }).catch((error: unknown) => error))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      proxy.cut()
      await expect.poll(() => fleet.status()).toBeDefined()
    }
    expect(proxy.connections).toBeGreaterThan(5)
    for (const result of await Promise.all(results)) {
      if (result instanceof Error) expect(result).toBeInstanceOf(StateUnavailableError)
    }
    await expectQuiet(fleet, setup.fake.charged())
  })

  test('a server that hangs refuses within the time limit, and nothing is sent or stays reserved', async () => {
    const { client, fleet, redis } = await join()
    await client.etn.price()
    await expectQuiet(fleet, 25)
    const hurried = setup.join({ timeoutMs: 100 }, {}, redis)
    setup.server.pause()
    const [error] = await Promise.all([
      rejection(hurried.client.etn.price(), StateUnavailableError),
      rejection(hurried.fleet.status(), StateUnavailableError),
    ])
    expect(error).toMatchObject({ attempts: 0, charge: 'none' })
    expect((error.cause as Error).message).toBe('Redis did not answer within 100 ms.')
    setup.server.resume()
    await expectQuiet(fleet, 25)
    expect(setup.fake.journal()).toHaveLength(1)
  })
})
