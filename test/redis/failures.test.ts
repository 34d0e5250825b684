import { BudgetExceededError, StateUnavailableError, TimeoutError } from 'etn-market'
import type { ScriptRunner } from 'etn-market/redis'
import { beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/concurrency/clock.ts'
import { RENEW } from '../../src/redis/scripts/clock.lua.ts'
import { RESERVE, SETTLE } from '../../src/redis/scripts/ledger.lua.ts'
import { createTimedRunner } from '../support/redis-time.ts'
import { rejection } from '../support/setup.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { BOLT, DAY_MS, SHORT_LEASE, useFleet } from './setup.ts'

const setup = useFleet()
const configure = (name: string, value: string) => setup.server.command('CONFIG', 'SET', name, value)

beforeEach(() => configure('maxmemory', '0'))

async function expectRefusal(call: Promise<unknown>, cause: RegExp): Promise<void> {
  const sent = setup.fake.journal().length
  const error = await rejection(call, StateUnavailableError)
  expect(error).toMatchObject({ name: 'StateUnavailableError', code: 'state_unavailable', attempts: 0, charge: 'none' })
  expect(error).not.toBeInstanceOf(TimeoutError)
  expect(String(error.cause)).toMatch(cause)
  expect(setup.fake.journal()).toHaveLength(sent)
}

describe('nothing is sent, and nothing hangs, when the server', () => {
  test('is read-only', async () => {
    const { client, fleet } = setup.join()
    await fleet.initialize()
    await setup.server.command('REPLICAOF', '127.0.0.1', '1')
    await expectRefusal(client.etn.price(), /READONLY/)
    expect((await fleet.status()).spent).toBe(0)
    await setup.server.command('REPLICAOF', 'NO', 'ONE')
    await client.etn.price()
  })

  test('is out of memory; what is in flight is settled', async () => {
    const { client, fleet } = setup.join()
    await fleet.initialize()
    const answers = [setup.hold('etn.price'), setup.hold('farm.list')]
    const calls = [client.etn.price(), client.farm.list()]
    await expect.poll(() => setup.fake.journal().length).toBe(2)
    await configure('maxmemory', '1')
    await expectRefusal(client.nft.stats(), /OOM/)
    for (const answer of answers) answer()
    await Promise.all(calls)
    // A settlement and the end of a slot are commands of their own.
    await expect
      .poll(() => fleet.status())
      .toMatchObject({ spent: 3_025, reserved: 0, uncertain: 0, slots: { taken: 0 } })
  })

  test('was flushed, until it is initialized on purpose; what was in flight then counts', async () => {
    const { client, fleet } = setup.join()
    const other = setup.join()
    await fleet.initialize()
    const answer = setup.hold('etn.price')
    const call = client.etn.price()
    await expect.poll(() => setup.fake.journal().length).toBe(1)
    await setup.server.command('FLUSHALL')
    await expectRefusal(client.nft.stats(), /NOTINITIALIZED/)
    await expectRefusal(other.client.nft.stats(), /NOTINITIALIZED/)
    await other.fleet.initialize()
    answer()
    await call
    await client.close()
    expect(await fleet.status()).toMatchObject({ spent: 25, reserved: 0, uncertain: 0, available: 99_975 })
    await other.client.nft.stats()
    await other.client.close()
    expect(await fleet.status()).toMatchObject({ spent: 50, reserved: 0 })
  })

  test('hangs for longer than a call may take', async () => {
    const { client, fleet } = setup.join()
    await fleet.initialize()
    setup.server.pause()
    const error = await rejection(client.etn.price({}, { deadlineMs: 100 }), StateUnavailableError)
    expect(error).toMatchObject({ attempts: 0, charge: 'none', operation: 'etn.price' })
    expect(error.message).toContain('the Redis of the fleet, did not answer within the 100 ms of the call')
    setup.server.resume()
    await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
    expect((await fleet.status()).uncertain).toBe(0)
    expect(setup.fake.journal()).toEqual([])
  })

  test('hangs while a heavy call asks for a slot', async () => {
    const { client, fleet } = setup.join()
    await fleet.initialize()
    // The key is read after the reservation and before the slot.
    const apiKey = async () => {
      setup.server.pause()
      return setup.fake.key
    }
    const own = setup.join({}, { apiKey })
    const error = await rejection(own.client.farm.list({}, { deadlineMs: 200 }), StateUnavailableError)
    expect(error).toMatchObject({ attempts: 0, charge: 'none' })
    setup.server.resume()
    await client.farm.list()
    await expect
      .poll(() => fleet.status())
      .toMatchObject({ spent: 3_000, reserved: 0, uncertain: 0, slots: { taken: 0 } })
  })
})

test('an abort during a wait for the server rejects at once with its reason, and nothing stays reserved', async () => {
  const { client, fleet } = setup.join()
  await fleet.initialize()
  setup.server.pause()
  const controller = new AbortController()
  const call = client.etn.price({}, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  setup.server.resume()
  await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
  expect(setup.fake.journal()).toEqual([])
})

test('an answer that is there wins against a timer that is late, because the program was busy', async () => {
  const redis = setup.connect()
  const { client, fleet } = setup.join({}, {}, redis)
  await fleet.initialize()
  await client.etn.price()
  // Enough for the commands that follow, also beside other tests.
  const hurried = setup.join({ timeoutMs: 1_500 }, {}, redis)
  const call = hurried.client.etn.price()
  // The command has left; its answer arrives while nothing is read, and the timer is due when something is.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_600)
  expect((await call).usd).toEqual(expect.any(String))
})

test('a settlement while the server is away ends with the lease: the credits are uncertain then', async () => {
  const proxy = await startTcpProxy(setup.server.port)
  const { client } = setup.join(SHORT_LEASE, {}, setup.connect(proxy.port))
  const other = setup.join(SHORT_LEASE)
  await other.fleet.initialize()
  const answer = setup.hold('etn.price')
  const call = client.etn.price()
  await expect.poll(() => setup.fake.journal().length).toBe(1)
  await proxy.close()
  answer()
  await call
  expect(await other.fleet.status()).toMatchObject({ spent: 0, reserved: 25, uncertain: 0 })
  await expect.poll(async () => (await other.fleet.status()).uncertain).toBe(25)
  expect(await other.fleet.status()).toMatchObject({ spent: 0, reserved: 0 })
})

test('a reservation that is sent again in the next window does not exceed that window', async () => {
  const runner = createTimedRunner(setup.connect())
  const windowMs = 10_000
  let isLost = false
  const redis: ScriptRunner = {
    async eval(script, keys, args) {
      const answer = await runner.eval(script, keys, args)
      if (script !== RESERVE || !isLost) return answer
      isLost = false
      // A client that reconnects sends it again, after others have spent the credits of the new window.
      runner.now += windowMs
      await other.client.etn.price()
      return runner.eval(script, keys, args)
    },
  }
  const budget = { credits: 25, windowMs }
  const { client, fleet } = setup.join({ budget }, {}, redis)
  const other = setup.join({ budget }, {}, runner)
  await fleet.initialize()
  isLost = true
  await rejection(client.nft.stats(), BudgetExceededError)
  expect(setup.fake.journal()).toHaveLength(1)
  await expect.poll(() => fleet.status()).toMatchObject({ spent: 25, reserved: 0, uncertain: 0 })
})

/** The key is read after the reservation. */
const keyAfter = (ms: number) => async () => {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return setup.fake.key
}

test('a confirmation whose answer is lost is taken back, although the lease is over', async () => {
  const direct = setup.connect()
  let reserved = 0
  let isSettlementLost = false
  const redis: ScriptRunner = {
    async eval(script, keys, args) {
      if (script === RENEW) throw new Error('Connection is closed.')
      if (script === SETTLE && isSettlementLost) {
        isSettlementLost = false
        throw new Error('Connection is closed.')
      }
      const answer = await direct.eval(script, keys.length, ...keys, ...args)
      if (script !== RESERVE || ++reserved === 1) return answer
      isSettlementLost = true
      throw new Error('Connection is closed.')
    },
  }
  const leaseMs = 1_000
  const { client, fleet } = setup.join({ timeoutMs: 900, leaseMs }, { apiKey: keyAfter(leaseMs + 50) }, redis)
  await fleet.initialize()
  const error = await rejection(client.etn.price(), StateUnavailableError)
  expect(error).toMatchObject({ attempts: 0, charge: 'none' })
  // It may be uncertain before it is taken back.
  await expect.poll(() => fleet.status()).toMatchObject({ spent: 0, reserved: 0, uncertain: 0 })
})

test('an answer that belongs to another command confirms nothing', async () => {
  const direct = setup.connect()
  let reserved = 0
  const redis: ScriptRunner = {
    async eval(script, keys, args) {
      if (script === RENEW) throw new Error('Connection is closed.')
      // A client that mixes up the answers of two connections: this one is that of a handshake.
      return script === RESERVE && ++reserved > 1 ? 'OK' : direct.eval(script, keys.length, ...keys, ...args)
    },
  }
  const leaseMs = 500
  await setup.join({ timeoutMs: 400, leaseMs }).fleet.initialize()
  const late = setup.join({ timeoutMs: 400, leaseMs }, { apiKey: keyAfter(leaseMs + 50) }, redis)
  await rejection(late.client.etn.price(), StateUnavailableError)
  expect(setup.fake.journal()).toEqual([])
})

test('clocks that are ten minutes apart make no difference', async () => {
  const apart = (ms: number) => ({ ...systemClock, now: () => Date.now() + ms })
  const budget = { credits: 2_000, windowMs: DAY_MS }
  const late = setup.join({ budget }, { clock: apart(-600_000) })
  const early = setup.join({ budget }, { clock: apart(600_000) })
  await late.fleet.initialize()
  await late.client.etn.price()
  await early.client.etn.price()
  setup.fake.fault({ operation: 'token.get', status: 429, retryAfter: 30 })
  await late.client.token.get({ address: BOLT }, { retry: false }).catch(() => {})
  await late.client.close()
  const held = await rejection(early.client.etn.price({}, { deadlineMs: 700 }), Error)
  expect(held).toMatchObject({ code: 'rate_limited', attempts: 0 })
  const [one, other] = await Promise.all([late.fleet.status(), early.fleet.status()])
  expect(one).toEqual(other)
  expect(one).toMatchObject({ spent: 50, reserved: 0, uncertain: 0 })
  expect(Math.abs((one.cooldowns[0]?.until ?? 0) - Date.now() - 30_000)).toBeLessThan(5_000)
})
