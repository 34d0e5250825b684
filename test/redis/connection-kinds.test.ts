import { inspect } from 'node:util'
import { InvalidRequestError, StateUnavailableError } from 'etn-market'
import { createRedisFleet, type RedisConnection } from 'etn-market/redis'
import { Cluster as IoCluster, Redis as IoRedis6 } from 'ioredis'
import { Redis as IoRedis5 } from 'ioredis-5'
import IoValkey, { Cluster as ValkeyCluster } from 'iovalkey'
import { createClient, createClientPool, createCluster, createSentinel } from 'redis'
import { describe, expect, test } from 'vitest'
import { startRedisServer } from '../support/redis-server.ts'
import { rejection } from '../support/setup.ts'
import { BOLT, OPTIONS, useFleet } from './setup.ts'

const setup = useFleet()
const wait = { replicas: 1, timeoutMs: 100 }
const lazy = { lazyConnect: true }
const address = { host: '127.0.0.1', port: 1 }

describe('wait', () => {
  test.each<[string, () => RedisConnection]>([
    ['createClient of redis', () => createClient()],
    ['createClient of redis, with options', () => createClient().withCommandOptions({ timeout: 1_000 })],
    ['ioredis 6', () => new IoRedis6(lazy)],
    ['ioredis 5', () => new IoRedis5(lazy)],
    ['ioredis with sentinels', () => new IoRedis6({ sentinels: [address], name: 'primary', ...lazy })],
    ['iovalkey', () => new IoValkey(lazy)],
    ['a script runner that has it', () => ({ eval: async () => [], wait: async () => 1 })],
  ])('is accepted on one connection: %s', (_, create) => {
    expect(() => createRedisFleet(create(), { ...OPTIONS, wait })).not.toThrow()
  })

  test.each<[string, () => RedisConnection]>([
    ['createClientPool of redis', () => createClientPool()],
    ['createSentinel of redis', () => createSentinel({ name: 'primary', sentinelRootNodes: [address] })],
    ['createCluster of redis', () => createCluster({ rootNodes: [{ socket: address }] })],
    ['Cluster of ioredis', () => new IoCluster([address], lazy)],
    ['Cluster of iovalkey', () => new ValkeyCluster([address], lazy)],
    ['a script runner without it', () => ({ eval: async () => [] })],
  ])('is refused where its connection may not be the one that wrote: %s', (_, create) => {
    const redis = create()
    expect(() => createRedisFleet(redis, { ...OPTIONS, wait })).toThrow(InvalidRequestError)
    expect(() => createRedisFleet(redis, { ...OPTIONS, wait })).toThrow(
      'Invalid wait: it needs a client with one connection',
    )
    expect(() => createRedisFleet(redis, OPTIONS)).not.toThrow()
  })
})

describe('a server that is older than the scripts', () => {
  // What Redis 6.0.16, `ioredis-mock` 8.13.1 and Upstash's client with such a server say.
  test.each([
    "ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'",
    `Error trying to loading or executing lua code string in VM: [string "#!lua..."]:1: unexpected symbol near '#'`,
    "Command failed: ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'",
  ])('is named: %s', async (message) => {
    const redis = {
      eval: async () => {
        throw new Error(message)
      },
    }
    const { client, fleet } = setup.join({}, {}, redis)
    const [error] = await Promise.all([
      rejection(client.etn.price(), StateUnavailableError),
      rejection(fleet.initialize(), StateUnavailableError),
    ])
    expect(error.message).toContain('needs Redis 7.0 or newer')
    expect(error).toMatchObject({ attempts: 0, charge: 'none' })
  })
})

describe('the password of Redis is in no error', () => {
  const PASSWORD = 'open-sesame'
  const show = (error: unknown) => inspect(error, { depth: 20, showHidden: true })

  // The server answers AUTH itself with the error, and `ioredis` 5 gives that error, with its arguments, to each command that waits.
  test('when the server has no connection left', async () => {
    const server = await startRedisServer('--maxclients', '1', '--protected-mode', 'no')
    setup.onEnd(() => server.close())
    const first = setup.connect(server.port)
    await first.config('SET', 'requirepass', PASSWORD)
    const events: unknown[] = []
    const redis = new IoRedis5({ port: server.port, host: '127.0.0.1', password: PASSWORD })
    redis.on('error', (error) => events.push(error))
    setup.onEnd(() => redis.disconnect())
    const { client, fleet } = setup.join({ timeoutMs: 1_000 }, {}, redis)
    const readError = () => rejection(fleet.status(), StateUnavailableError)
    await expect.poll(async () => String((await readError()).cause)).toContain('max number of clients reached')
    // It is in the client's own error.
    expect(show(events)).toContain(PASSWORD)
    for (const run of [() => fleet.status(), () => fleet.initialize(), () => client.token.get({ address: BOLT })]) {
      const error = await rejection(run(), StateUnavailableError)
      expect(show(error)).not.toContain(PASSWORD)
      expect(error.cause).toMatchObject({ name: expect.stringMatching(/Error$/) })
    }
  })

  test('when the server has no memory left, and whatever an error of a client has beside its message', async () => {
    const server = await startRedisServer()
    setup.onEnd(() => server.close())
    await server.command('CONFIG', 'SET', 'requirepass', PASSWORD)
    const redis = new IoRedis5({ port: server.port, host: '127.0.0.1', password: PASSWORD })
    setup.onEnd(() => redis.disconnect())
    const { client, fleet } = setup.join({}, {}, redis)
    await fleet.initialize()
    await redis.config('SET', 'maxmemory', '1')
    const error = await rejection(client.etn.price(), StateUnavailableError)
    expect(error.cause).toMatchObject({ name: 'ReplyError', message: expect.stringMatching(/^OOM /) })
    expect(Object.keys(error.cause as Error)).toEqual([])
    expect(show(error)).not.toContain(PASSWORD)
  })

  test('when WAIT fails', async () => {
    const inner = Object.assign(new Error('ERR'), { command: { args: [PASSWORD] }, cause: PASSWORD })
    const redis = setup.connect()
    const runner = {
      eval: (script: string, keys: string[], args: string[]) => redis.eval(script, keys.length, ...keys, ...args),
      wait: () => Promise.reject(inner),
    }
    const { fleet } = setup.join({ wait }, {}, runner)
    const error = await rejection(fleet.initialize(), StateUnavailableError)
    expect(error.cause).toMatchObject({ message: 'ERR' })
    expect(show(error)).not.toContain(PASSWORD)
  })
})
