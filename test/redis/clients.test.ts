import { StateUnavailableError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { rejection } from '../support/setup.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { CONNECTIONS } from './connections.ts'
import { BOLT, TOKENS, until, useFleet } from './setup.ts'

const setup = useFleet()

describe.each(Object.entries(CONNECTIONS))('%s', (_, connect) => {
  async function join() {
    const proxy = await startTcpProxy(setup.server.port)
    setup.onEnd(() => proxy.close())
    const { redis, close } = await connect(proxy.port)
    setup.onEnd(close)
    const member = setup.join({}, {}, redis)
    await member.fleet.initialize()
    return { ...member, proxy }
  }
  const isQuiet = async (fleet: Awaited<ReturnType<typeof join>>['fleet'], spent: number) =>
    until(async () => {
      const status = await fleet.status().catch(() => undefined)
      return status?.reserved === 0 && status.uncertain === 0 && status.spent === spent
    })

  test('reserves, settles and admits', async () => {
    const { client, fleet } = await join()
    await Promise.all([
      ...TOKENS.map((address) => client.token.price({ address })),
      client.farm.list(),
      client.locks.get({ address: BOLT }),
    ])
    expect(setup.fake.charged()).toBe(5_500)
    await isQuiet(fleet, 5_500)
    await until(async () => (await fleet.status()).slots.taken === 0)
  })

  test('heals a server that has forgotten its scripts', async () => {
    const { client, fleet } = await join()
    await client.etn.price()
    await setup.server.command('SCRIPT', 'FLUSH')
    await client.etn.price()
    await isQuiet(fleet, 50)
  })

  test('a lost answer to a reservation counts once, or not at all', async () => {
    const { client, fleet, proxy } = await join()
    await client.etn.price()
    await isQuiet(fleet, 25)
    const lost = proxy.loseNextAnswer()
    const result = await client.etn.price().catch((error: unknown) => error)
    await lost
    // The client sends it again by itself, or the call is refused.
    const isSent = !(result instanceof StateUnavailableError)
    expect(setup.fake.journal()).toHaveLength(isSent ? 2 : 1)
    await isQuiet(fleet, isSent ? 50 : 25)
  })

  test('a lost answer to a settlement counts once', async () => {
    const { client, fleet, proxy } = await join()
    setup.fake.fault({ operation: 'etn.price', delayMs: 100 })
    const call = client.etn.price()
    await until(() => setup.fake.journal().length === 1)
    const lost = proxy.loseNextAnswer()
    await call
    await lost
    await isQuiet(fleet, 25)
  })

  test('a connection that is cut, again and again, loses no credit', async () => {
    const { client, fleet, proxy } = await join()
    const results: Promise<unknown>[] = []
    for (let index = 0; proxy.connections < 5; index++) {
      const address = TOKENS[index % TOKENS.length] as string
      results.push(client.token.price({ address }).catch((error: unknown) => error))
      if (results.length % 3 === 0) proxy.cut()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    for (const result of await Promise.all(results)) {
      if (result instanceof Error) expect(result).toBeInstanceOf(StateUnavailableError)
    }
    await isQuiet(fleet, setup.fake.charged())
  })

  test('a server that hangs refuses within the time limit, and nothing is sent or stays reserved', async () => {
    const { client, fleet } = await join()
    await client.etn.price()
    await isQuiet(fleet, 25)
    setup.server.pause()
    const error = await rejection(client.etn.price(), StateUnavailableError)
    expect(error).toMatchObject({ attempts: 0, charge: 'none' })
    expect((error.cause as Error).message).toBe('Redis did not answer within 400 ms.')
    await rejection(fleet.status(), StateUnavailableError)
    setup.server.resume()
    await isQuiet(fleet, 25)
    expect(setup.fake.journal()).toHaveLength(1)
  })
})
