import { createRedisFleet, type RedisConnection } from 'etn-market/redis'
import { Cluster as IoCluster } from 'ioredis'
import { Cluster as ValkeyCluster } from 'iovalkey'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, type RedisServer, startRedisServer } from '../support/redis-server.ts'
import { until } from '../support/wait.ts'
import { BOLT, OPTIONS, rightsOfGuide, useFleet } from './setup.ts'

const setup = useFleet()
const SLOTS = 16_384
let nodes: { server: RedisServer; busPort: number }[] = []

beforeAll(async () => {
  nodes = await Promise.all(
    [1, 2, 3].map(async () => {
      const busPort = await freePort()
      const server = await startRedisServer('--cluster-enabled', 'yes', '--cluster-port', String(busPort))
      return { server, busPort }
    }),
  )
  const [first] = nodes
  for (const [index, { server, busPort }] of nodes.entries()) {
    const range = [index, index + 1].map((part) => Math.floor((part * SLOTS) / nodes.length))
    await server.command('CLUSTER', 'ADDSLOTSRANGE', String(range[0]), String(range[1]! - 1))
    await server.command('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
    if (index > 0) await first!.server.command('CLUSTER', 'MEET', '127.0.0.1', String(server.port), String(busPort))
  }
  const readStates = () => Promise.all(nodes.map(({ server }) => server.command('CLUSTER', 'INFO')))
  const areReady = (states: string[]) => states.every((state) => state.includes('cluster_state:ok'))
  await until('the cluster', readStates, areReady)
})
afterAll(async () => {
  await Promise.all(nodes.map(({ server }) => server.close()))
})

type Login = { username: string; password: string }
type Connect = (port: number, login?: Login) => Promise<{ redis: RedisConnection; close(): unknown }>
const CLUSTERS: Record<string, Connect> = {
  async redis(port, login) {
    const redis = createCluster({ rootNodes: [{ socket: { port, host: '127.0.0.1' } }], defaults: { ...login } })
    await redis.on('error', () => {}).connect()
    return { redis, close: () => redis.destroy() }
  },
  async ioredis(port, login) {
    const redis = new IoCluster([{ port, host: '127.0.0.1' }], { redisOptions: { ...login } })
    return { redis, close: () => redis.disconnect() }
  },
  async iovalkey(port, login) {
    const redis = new ValkeyCluster([{ port, host: '127.0.0.1' }], { redisOptions: { ...login } })
    return { redis, close: () => redis.disconnect() }
  },
}

describe.each(Object.entries(CLUSTERS))('a cluster with %s', (_, connect) => {
  test('has all keys of a fleet in one slot', async () => {
    const { redis, close } = await connect(nodes[0]!.server.port)
    setup.onEnd(close)
    // Names whose slots are on different nodes.
    const members = ['bots', 'traders', 'c', 'd'].map((name) => setup.join({ name: `${name}-${_}` }, {}, redis))
    await Promise.all(members.map(({ fleet }) => fleet.initialize()))
    setup.fake.fault({ operation: 'etn.price', nth: [1, 2, 3, 4], status: 429, retryAfter: 0 })
    await Promise.all(
      members.map(async ({ client, fleet }) => {
        await client.etn.price()
        await client.locks.get({ address: BOLT })
        await expect.poll(async () => (await fleet.status()).spent).toBe(2_025)
        expect(await fleet.reconcile(client)).toBeUndefined()
      }),
    )
    const keys = await Promise.all(nodes.map(({ server }) => server.command('DBSIZE')))
    expect(keys.filter((count) => !count.startsWith(':0')).length).toBeGreaterThan(1)
  })

  test('needs no other rights than those of the guide', async () => {
    const more = _ === 'redis' ? ['+cluster|slots'] : ['+cluster|slots', '+info', '+cluster|info']
    for (const { server } of nodes) {
      await server.command('ACL', 'SETUSER', 'bot', 'reset', 'on', '>secret', ...rightsOfGuide(), ...more)
      await server.command('ACL', 'LOG', 'RESET')
    }
    const { redis, close } = await connect(nodes[0]!.server.port, { username: 'bot', password: 'secret' })
    setup.onEnd(close)
    const { client, fleet } = setup.join({ name: `rights-${_}` }, {}, redis)
    await fleet.initialize()
    await client.locks.get({ address: BOLT })
    await expect.poll(async () => (await fleet.status()).spent).toBe(2_000)
    const logs = await Promise.all(nodes.map(({ server }) => server.command('ACL', 'LOG')))
    expect(logs).toEqual(['*0\r\n', '*0\r\n', '*0\r\n'])
  })

  test('has no WAIT', async () => {
    const { redis, close } = await connect(nodes[0]!.server.port)
    setup.onEnd(close)
    const wait = { replicas: 1, timeoutMs: 100 }
    expect(() => createRedisFleet(redis, { ...OPTIONS, wait })).toThrow(/Invalid wait/)
  })
})
