import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createRedisFleet, type Fleet, type RedisConnection } from 'etn-market/redis'
import type { Cluster as IoCluster, Redis as IoRedis6 } from 'ioredis'
import type { Redis as IoRedis5 } from 'ioredis-5'
import type IoValkey from 'iovalkey'
import { createCluster, createClient as createRedis } from 'redis'
import { expectTypeOf, test } from 'vitest'

const budget = { credits: 1_000, windowMs: 60_000 }
declare const fleet: Fleet
declare const ioRedis6: IoRedis6
declare const ioCluster: IoCluster
declare const ioRedis5: IoRedis5
declare const ioValkey: IoValkey

test('every client of Redis is a connection, and so is an object with eval', () => {
  // Neither `expectTypeOf`, which looks into every command of a client, nor the `ReturnType` of a generic function: both take seconds.
  const clients: readonly RedisConnection[] = [
    createRedis(),
    createCluster({ rootNodes: [] }),
    ioRedis6,
    ioCluster,
    ioRedis5,
    ioValkey,
  ]
  for (const redis of clients) createRedisFleet(redis, { name: 'bots', budget })
  createRedisFleet(
    { eval: async (script: string, keys: string[], args: string[]) => [script, keys, args] },
    { name: 'bots', budget },
  )
  // @ts-expect-error it runs no scripts
  createRedisFleet({ get: async () => '' }, { name: 'bots', budget })
})

test('a fleet has a name and a budget', () => {
  const redis: RedisConnection = { eval: async () => [] }
  expectTypeOf(createRedisFleet(redis, { name: 'bots', budget })).toEqualTypeOf<Fleet>()
  // @ts-expect-error without a name
  createRedisFleet(redis, { budget })
  // @ts-expect-error without a budget
  createRedisFleet(redis, { name: 'bots' })
})

test('clients and feeds take a fleet', () => {
  const client = createClient({ fleet })
  createPriceFeed(client, { fleet, store: { get: () => '', set: () => true, delete: () => true } })
  expectTypeOf(fleet.reconcile).parameter(0).toExtend<{ account: object }>()
  fleet.reconcile(client)
  // @ts-expect-error no fleet
  createClient({ fleet: { credits: 5 } })
})
