import { readFileSync } from 'node:fs'
import { type Client, type ClientEvent, type ClientOptions, createClient } from 'etn-market'
import {
  createFakeService,
  type FakeOperation,
  type FakeService,
  type FakeServiceOptions,
  fakeTokens,
} from 'etn-market/fake'
import { createRedisFleet, type RedisConnection, type RedisFleetOptions } from 'etn-market/redis'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type RedisServer, startRedisServer } from '../support/redis-server.ts'

/** Tokens of the fake. */
export const TOKENS: string[] = Object.values(fakeTokens).slice(0, 10)
export const BOLT = fakeTokens.BOLT
export const DAY_MS = 86_400_000
/** No lease and no command of these ends by itself, however busy the machine is. Tests of an end have shorter times of their own. */
export const OPTIONS: RedisFleetOptions = {
  name: 'bots',
  budget: { credits: 100_000, windowMs: DAY_MS },
  timeoutMs: 5_000,
  leaseMs: 20_000,
}
/** The rights of a user, as the guide has them. */
export function rightsOfGuide(): string[] {
  const guide = readFileSync(new URL('../../src/redis/GUIDE.md', import.meta.url), 'utf8')
  const [, rights = ''] = /^ACL SETUSER \w+ on >\S+ (.+)$/m.exec(guide) ?? []
  return rights.split(' ')
}

/** A lease that has to be renewed within a test, by a process that may be busy for a second. */
export const SHORT_LEASE = { timeoutMs: 1_400, leaseMs: 1_500 }

/** One process of a fleet, within the test. */
export interface TestMember {
  readonly fleet: ReturnType<typeof createRedisFleet>
  readonly client: Client
  readonly events: ClientEvent[]
}

/** What is lost can be proven soon after. */
export const PROMPT = { maxChargeDelayMs: 50 }
export const lossesAreOld = () => new Promise((resolve) => setTimeout(resolve, PROMPT.maxChargeDelayMs + 10))

type JoinOptions = [options?: Partial<RedisFleetOptions>, clientOptions?: ClientOptions, redis?: RedisConnection]

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
    /** Several members with the same options, of which the first has initialized the fleet. */
    async joinAll(count: number, ...options: JoinOptions): Promise<TestMember[]> {
      const members = Array.from({ length: count }, () => setup.join(...options))
      await members[0]?.fleet.initialize()
      return members
    },
    /** Lets requests wait in the service, until the result is called. `times`: only so many. */
    hold(operation: FakeOperation, times = Number.POSITIVE_INFINITY): () => void {
      let release = () => {}
      const isReleased = new Promise<boolean>((resolve) => {
        release = () => resolve(true)
      })
      fake.fault({ operation, when: () => isReleased, delayMs: 0, times })
      setup.onEnd(release)
      return release
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
