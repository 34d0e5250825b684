import { StateUnavailableError } from 'etn-market'
import type { ScriptRunner } from 'etn-market/redis'
import { expect, test } from 'vitest'
import { type RedisServer, startRedisServer } from '../support/redis-server.ts'
import { rejection } from '../support/setup.ts'
import { BOLT, until, useFleet } from './setup.ts'

const setup = useFleet()

async function startReplica(): Promise<RedisServer> {
  await setup.server.command('CONFIG', 'SET', 'repl-diskless-sync-delay', '0')
  const replica = await startRedisServer('--replicaof', `127.0.0.1 ${setup.server.port}`)
  setup.onEnd(() => replica.close())
  // A replica whose link is up may still be loading, and answers no WAIT before it has acknowledged a write.
  await setup.server.command('SET', 'first', 'write')
  await until(async () => {
    const state = await setup.server.command('INFO', 'replication')
    return state.match(/state=online,offset=(\d+)/)?.[1] === state.match(/master_repl_offset:(\d+)/)?.[1]
  })
  return replica
}

/** A connection that goes to another server after a fail-over, as one through Sentinel does. */
function followPrimary(ports: number[]): ScriptRunner & { failOver(): void } {
  const connections = ports.map((port) => setup.connect(port))
  let primary = 0
  return {
    eval: async (script, keys, args) => connections[primary]!.eval(script, keys.length, ...keys, ...args),
    wait: async (replicas, timeoutMs) => connections[primary]!.wait(replicas, timeoutMs),
    failOver: () => void primary++,
  }
}

test('with wait, a reservation that reaches no replica is refused and taken back', async () => {
  const replica = await startReplica()
  const { client, fleet } = setup.join({ wait: { replicas: 1, timeoutMs: 200 }, timeoutMs: 900 })
  await fleet.initialize()
  await client.etn.price()
  replica.pause()
  const error = await rejection(client.nft.stats(), StateUnavailableError)
  expect(error).toMatchObject({ attempts: 0, charge: 'none' })
  expect(String(error.cause)).toContain('0 of 1 replicas have the reservation.')
  await rejection(client.farm.list(), StateUnavailableError)
  replica.resume()
  await until(async () => (await fleet.status()).reserved === 0)
  expect(await fleet.status()).toMatchObject({ spent: 25, uncertain: 0 })
  expect(setup.fake.journal()).toHaveLength(1)
})

test('a fail-over that forgets charges: reconcile finds what they cost, and what was in flight counts', async () => {
  const replica = await startReplica()
  const redis = followPrimary([setup.server.port, replica.port])
  const { client, fleet } = setup.join({ leaseMs: 5_000 }, {}, redis)
  await fleet.initialize()
  await client.etn.price()
  await until(async () => (await fleet.status()).spent === 25)
  expect(await fleet.reconcile(client)).toBeUndefined()
  await until(async () => (await setup.connect(replica.port).hget('{etn-market:bots}:state', 'balance')) !== null)
  // From here on the replica hears nothing.
  await replica.command('REPLICAOF', '127.0.0.1', '1')
  await client.token.get({ address: BOLT })
  setup.fake.fault({ operation: 'nft.stats', delayMs: 300 })
  const inFlight = client.nft.stats()
  await until(() => setup.fake.journal({ operation: 'nft.stats' }).length === 1)
  setup.server.pause()
  await replica.command('REPLICAOF', 'NO', 'ONE')
  redis.failOver()
  expect((await fleet.status()).spent).toBe(25)
  await inFlight
  // Its reservation is forgotten, and its charge counts all the same.
  await until(async () => (await fleet.status()).spent === 50)
  expect(await fleet.reconcile(client)).toEqual({ charged: 100, freed: 0 })
  expect(await fleet.status()).toMatchObject({ spent: 150, reserved: 0, uncertain: 0 })
  expect(setup.fake.charged()).toBe(150)
})
