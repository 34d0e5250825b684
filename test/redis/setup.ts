import { type Client, type ClientEvent, type ClientOptions, createClient } from 'etn-market'
import { createFakeService, type FakeService, type FakeServiceOptions, fakeTokens } from 'etn-market/fake'
import { createRedisFleet, type RedisConnection, type RedisFleetOptions } from 'etn-market/redis'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type RedisServer, startRedisServer } from '../support/redis-server.ts'

/** Tokens of the fake. */
export const TOKENS: string[] = Object.values(fakeTokens).slice(0, 10)
export const BOLT = fakeTokens.BOLT
export const DAY_MS = 86_400_000
export const LEASE_MS = 1_000
export const OPTIONS: RedisFleetOptions = {
  name: 'bots',
  budget: { credits: 100_000, windowMs: DAY_MS },
  timeoutMs: 400,
  leaseMs: LEASE_MS,
}

/** One process of a fleet, within the test. */
export interface TestMember {
  readonly fleet: ReturnType<typeof createRedisFleet>
  readonly client: Client
  readonly events: ClientEvent[]
}

/** A redis-server, a fake service, and members that are closed after each test. */
export function useFleet(serverOptions: string[] = [], fakeOptions: FakeServiceOptions = {}) {
  let server: RedisServer
  let fake: FakeService
  let closing: (() => unknown)[] = []
  beforeAll(async () => {
    server = await startRedisServer(...serverOptions)
  })
  beforeEach(async () => {
    await server.command('FLUSHALL')
    fake = createFakeService(fakeOptions)
  })
  afterEach(async () => {
    server.resume()
    for (const close of closing.reverse()) await close()
    closing = []
    await fake.close()
  })
  afterAll(() => server.close())

  const setup = {
    get server() {
      return server
    },
    get fake() {
      return fake
    },
    /** Is called after the test, the last one first. */
    onEnd(close: () => unknown) {
      closing.push(close)
    },
    connect(port = server.port): Redis {
      const redis = new Redis({ port, host: '127.0.0.1' })
      // Reconnecting is part of the tests.
      redis.on('error', () => {})
      setup.onEnd(() => redis.disconnect())
      return redis
    },
    join(
      options: Partial<RedisFleetOptions> = {},
      clientOptions: ClientOptions = {},
      redis: RedisConnection = setup.connect(),
    ): TestMember {
      const fleet = createRedisFleet(redis, { ...OPTIONS, ...options })
      const events: ClientEvent[] = []
      const client = createClient({
        apiKey: fake.key,
        baseUrl: fake.baseUrl,
        fetch: fake.fetch,
        fleet,
        onEvent: (event) => {
          events.push(event)
        },
        ...clientOptions,
      })
      setup.onEnd(async () => {
        await client.close()
        await fleet.close()
      })
      return { fleet, client, events }
    },
    /** The values of every key, as text. */
    dump: async () => JSON.stringify(await dumpAll(server)),
  }
  return setup
}

async function dumpAll(server: RedisServer): Promise<string[]> {
  const redis = new Redis({ port: server.port, host: '127.0.0.1' })
  try {
    const keys = await redis.keys('*')
    const values = await Promise.all(keys.map((key) => redis.dump(key)))
    return keys.flatMap((key, index) => [key, String(values[index])])
  } finally {
    redis.disconnect()
  }
}

/** Waits until a condition holds, however long a loaded machine takes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 2_500; ; left--) {
    if (await condition()) return
    if (left === 0) throw new Error('The condition never held.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
