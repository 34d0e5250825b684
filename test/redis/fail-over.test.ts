import { StateUnavailableError } from 'etn-market'
import type { ScriptRunner } from 'etn-market/redis'
import { expect, test } from 'vitest'
import { type RedisServer, startRedisServer } from '../support/redis-server.ts'
import { rejection } from '../support/setup.ts'
import { BOLT, DAY_MS, useFleet } from './setup.ts'

const setup = useFleet()

async function startReplica(): Promise<RedisServer> {
  await setup.server.command('CONFIG', 'SET', 'repl-diskless-sync-delay', '0')
  const replica = await startRedisServer('--replicaof', `127.0.0.1 ${setup.server.port}`)
  setup.onEnd(() => replica.close())
  // A replica whose link is up may still be loading, and answers no WAIT before it has acknowledged a write.
  await setup.server.command('SET', 'first', 'write')
  await expect
    .poll(() => setup.server.command('INFO', 'replication'))
    .toMatch(/state=online,offset=(\d+)[\s\S]*\bmaster_repl_offset:\1\b/)
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
  const { client, fleet } = setup.join({ wait: { replicas: 1, timeoutMs: 1_500 } })
  await fleet.initialize()
  await client.etn.price()
  replica.pause()
  const [error] = await Promise.all([
    rejection(client.nft.stats(), StateUnavailableError),
    rejection(client.farm.list(), StateUnavailableError),
  ])
  expect(error).toMatchObject({ attempts: 0, charge: 'none' })
  expect(String(error.cause)).toContain('0 of 1 replicas have the reservation.')
  replica.resume()
  await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
  expect(await fleet.status()).toMatchObject({ spent: 25, uncertain: 0 })
  expect(setup.fake.journal()).toHaveLength(1)
})

test('a fail-over that forgets charges: nothing is sent until reconcile has found what they cost, and what was in flight counts', async () => {
  const replica = await startReplica()
  const redis = followPrimary([setup.server.port, replica.port])
  const { client, fleet } = setup.join({}, {}, redis)
  await fleet.initialize()
  await client.etn.price()
  await expect.poll(async () => (await fleet.status()).spent).toBe(25)
  expect(await fleet.reconcile(client)).toBeUndefined()
  const copy = setup.connect(replica.port)
  await expect.poll(() => copy.hlen('{etn-market:bots}:balances')).toBeGreaterThan(0)
  // From here on the replica hears nothing.
  await replica.command('REPLICAOF', '127.0.0.1', '1')
  await client.token.get({ address: BOLT })
  const answer = setup.hold('nft.stats')
  const inFlight = client.nft.stats()
  await expect.poll(() => setup.fake.journal({ operation: 'nft.stats' }).length).toBe(1)
  setup.server.pause()
  await replica.command('REPLICAOF', 'NO', 'ONE')
  redis.failOver()
  await expect(fleet.status()).rejects.toMatchObject({ code: 'state_lost' })
  answer()
  await inFlight
  // Its reservation is forgotten, and its charge counts all the same.
  const window = Math.floor(Date.now() / DAY_MS)
  await expect.poll(() => copy.hget('{etn-market:bots}:state', `s${window}`)).toBe('50')
  await expect(client.token.get({ address: BOLT })).rejects.toMatchObject({ code: 'state_lost', attempts: 0 })
  expect(await fleet.reconcile(client)).toEqual({ charged: 100, freed: 0 })
  expect(await fleet.status()).toMatchObject({ spent: 150, reserved: 0, uncertain: 0 })
  expect(setup.fake.charged()).toBe(150)
})
