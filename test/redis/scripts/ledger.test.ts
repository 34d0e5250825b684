import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { BUY } from '../../../src/redis/scripts/clock.lua.ts'
import { configOf, HOUR, LEASE_MS, START, useScripts, WINDOW_MS, YEAR } from './setup.ts'

const scripts = useScripts()
const { keys, initialize, reserve, settle, renew, status } = scripts

// What members do in any order, sent again, and while leases end: `model.test.ts`. What counts in which window, whatever the clock does:
// `windows.test.ts`. What every budget promises: `conformance.test.ts`.

describe('before initialize', () => {
  test.each([
    ['reserve', () => reserve('a', 10)],
    ['status', () => status()],
    ['reconcile', () => scripts.reconcile()],
  ])('%s refuses', async (_, run) => {
    await expect(run()).rejects.toThrow(/^NOTINITIALIZED /)
    expect(await scripts.redis.dbsize()).toBe(0)
  })

  test('settle is ignored', async () => {
    expect((await settle('a', 's', 10, { credits: 10 })).verdict).toBe('ignored')
    expect(await scripts.redis.dbsize()).toBe(0)
  })
})

test('takes credits up to 2^53 without losing one', async () => {
  const most = Number.MAX_SAFE_INTEGER
  const config = configOf(most, 0)
  await initialize(config)
  expect((await reserve('a', most - 1, { config })).totals).toEqual([0, most - 1, 0])
  expect((await reserve('b', 2, { config })).verdict).toBe('refused')
  expect((await reserve('c', 1, { config })).totals).toEqual([0, most, 0])
  expect((await settle('a', 's', most - 1)).totals).toEqual([most - 1, 1, 0])
})

describe('a decision for an unknown id', () => {
  beforeEach(async () => {
    await initialize()
    await reserve('a', 100)
  })

  test('counts when a fail-over has forgotten the reservation of the same state, once', async () => {
    const forgotten = { credits: 50, window: START / WINDOW_MS }
    expect((await settle('x', 's', 40, forgotten)).totals).toEqual([40, 100, 0])
    expect((await settle('x', 's', 40, forgotten)).totals).toEqual([40, 100, 0])
    expect((await settle('y', 'u', 0, forgotten)).totals).toEqual([40, 100, 50])
    expect((await settle('z', 'f', 0, forgotten)).totals).toEqual([40, 100, 50])
  })

  test('is ignored when it is old', async () => {
    expect((await settle('x', 's', 40, { credits: 50, ageMs: HOUR })).verdict).toBe('ignored')
    expect((await status()).totals).toEqual([0, 100, 0])
  })
})

describe('a lease', () => {
  beforeEach(async () => {
    await initialize()
    await reserve('a', 100)
  })

  test('of a process that ended while the clock was a year ahead lasts for one lease after it was set back', async () => {
    scripts.later(8_760 * HOUR)
    await reserve('ahead', 50)
    await settle('a', 'f')
    scripts.at(START)
    await reserve('b', 1)
    const reserved = async () => scripts.redis.zcard(keys.leases)
    expect(await reserved()).toBe(2)
    expect((await scripts.reconcile())[0]).toBe('busy')
    scripts.later(LEASE_MS)
    await reserve('c', 1)
    expect(await reserved()).toBe(1)
    await settle('c', 'f')
    expect((await scripts.reconcile())[0]).toBe('quiet')
    // One that is known to be charged is settled late.
    expect((await settle('ahead', 's', 20)).verdict).toBe('s')
  })

  test('that has ended is renewed when its reservation is confirmed, in the same window', async () => {
    scripts.later(LEASE_MS)
    await reserve('b', 900)
    expect(await reserve('a', 100)).toMatchObject({ verdict: 'granted', totals: [0, 1_000, 0] })
  })
})

describe('a window', () => {
  beforeEach(() => initialize())

  test('has what was reserved before it and is confirmed in it, once', async () => {
    await reserve('a', 600)
    scripts.later(WINDOW_MS)
    expect((await status()).totals).toEqual([0, 0, 0])
    expect(await reserve('a', 600)).toMatchObject({ verdict: 'granted', totals: [0, 600, 0] })
    expect(await reserve('a', 600)).toMatchObject({ verdict: 'granted', totals: [0, 600, 0] })
  })

  test('long ago is forgotten: a decision of it changes no count', async () => {
    await reserve('a', 600)
    for (let index = 0; index < 4; index++) {
      scripts.later(WINDOW_MS)
      await reserve(`b-${index}`, 100)
    }
    expect((await settle('a', 's', 600)).verdict).toBe('s')
    const counts = await scripts.redis.hgetall(keys.ledger[0] as string)
    expect(Object.keys(counts).filter((field) => /^[sru]\d/.test(field)).length).toBeLessThanOrEqual(6)
    expect(Object.entries(counts).filter(([, count]) => count.startsWith('-'))).toEqual([])
    expect((await status()).totals).toEqual([0, 100, 0])
  })

  test('without a length never ends', async () => {
    await scripts.redis.flushall()
    const config = configOf(1_000, 0)
    await initialize(config)
    await reserve('a', 900, { config })
    scripts.later(1_000 * HOUR)
    expect((await reserve('b', 200, { config })).verdict).toBe('refused')
  })
})

describe('ids', () => {
  beforeEach(() => initialize())

  test('that were freed before they were reserved are refused', async () => {
    await settle('early', 'f')
    expect((await reserve('other', 10)).verdict).toBe('granted')
    await settle('earlier', 'f')
    expect(await reserve('early', 10)).toMatchObject({ verdict: 'decided', totals: [0, 10, 0] })
  })

  test('are kept for an hour, then forgotten', async () => {
    for (const decision of ['s', 'f', 'u'] as const) {
      await reserve(decision, 10)
      await settle(decision, decision, 10)
    }
    await settle('c', 'f')
    await reserve('lost', 10)
    const size = () => scripts.redis.hlen(keys.ledger[1] as string)
    scripts.later(LEASE_MS)
    await reserve('x', 0)
    scripts.at(START + HOUR - 1)
    await reserve('x', 0)
    expect(await size()).toBe(5)
    scripts.later(1)
    await reserve('x', 0)
    expect(await size()).toBe(1)
    scripts.later(LEASE_MS)
    await reserve('x', 0)
    expect(await size()).toBe(0)
    expect(await scripts.redis.zcard(keys.ledger[3] as string)).toBe(0)
  })

  test('of a time in which the clock was ahead are not kept for longer', async () => {
    scripts.later(8_760 * HOUR)
    await reserve('a', 10)
    await settle('a', 's', 10)
    scripts.at(START)
    await reserve('x', 0)
    scripts.later(48 * HOUR)
    await reserve('x', 0)
    expect(await scripts.redis.hlen(keys.ledger[1] as string)).toBe(0)
  })

  test('of a lease that ended are kept to the end of the next window, where that is longer', async () => {
    await scripts.redis.flushall()
    const day = 24 * HOUR
    const config = configOf(1_000, day)
    await initialize(config)
    scripts.at(day * 10_000)
    await reserve('lost', 10, { config })
    scripts.later(LEASE_MS)
    await reserve('x', 0, { config })
    scripts.at(day * 10_002 - 1)
    await reserve('x', 0, { config })
    expect(await scripts.redis.hexists(keys.ledger[1] as string, 'lost')).toBe(1)
    scripts.later(1)
    await reserve('x', 0, { config })
    expect(await scripts.redis.hexists(keys.ledger[1] as string, 'lost')).toBe(0)
  })
})

test('the keys of a fleet are kept for more than a year, and each day on which it is used again', async () => {
  await initialize()
  await reserve('a', 10)
  const names = await scripts.redis.keys('*')
  const left = () => Promise.all(names.map((name) => scripts.redis.pttl(name)))
  expect(Math.min(...(await left()))).toBeGreaterThan(YEAR)
  await Promise.all(names.map((name) => scripts.redis.pexpire(name, HOUR)))
  // Not with each command, because each is a write to every replica.
  scripts.later(1)
  await reserve('b', 10)
  expect(Math.max(...(await left()))).toBeLessThanOrEqual(HOUR)
  scripts.later(24 * HOUR)
  await reserve('c', 10)
  expect(Math.min(...(await left()))).toBeGreaterThan(YEAR)
})

// What is refused then: `../failures.test.ts`.
test('without memory everything is settled, renewed and read', async () => {
  onTestFinished(async () => {
    await scripts.redis.config('SET', 'maxmemory', '0')
  })
  await initialize()
  for (const id of ['a', 'b', 'c', 'd']) await reserve(id, 100)
  await scripts.redis.config('SET', 'maxmemory', '1')
  expect((await settle('a', 's', 60)).verdict).toBe('s')
  expect((await settle('b', 'f')).verdict).toBe('f')
  expect((await settle('c', 'u')).verdict).toBe('u')
  expect((await settle('new', 'f')).verdict).toBe('f')
  expect(await renew('d')).toEqual([1])
  expect(await scripts.run(BUY, [keys.buyer('a')], ['one', LEASE_MS])).toEqual([1])
  expect((await status()).totals).toEqual([60, 100, 100])
})
