import { beforeEach, describe, expect, test } from 'vitest'
import { BUY, RENEW } from '../../../src/redis/scripts/clock.lua.ts'
import { ADMIT, END, REFUSE } from '../../../src/redis/scripts/limits.lua.ts'
import { CONFIG, HOUR, LEASE_MS, START, useScripts } from './setup.ts'

const scripts = useScripts()
const { keys, run, initialize, status } = scripts
const KEY = 'key:1'
const MAX_REFUSALS = 15
const SILENT_MS = 2_000

/** Breakers without the moment at which they were written. */
const parse = ([verdict, , ms, ...breakers]: string[]) => ({
  verdict,
  ms: Number(ms),
  breakers: breakers.map((part) => part.replace(/^(\d+:\d+):\d+$/, '$1')),
})
async function admit(id: string, { heavy = false, scope = KEY, unasked = [] as string[], config = CONFIG } = {}) {
  const args = [config, id, scope, heavy ? '1' : '0', MAX_REFUSALS, SILENT_MS, ...unasked]
  return parse((await run(ADMIT, keys.limits(scope), args)) as string[])
}
const heavy = (id: string, scope = KEY) => admit(id, { heavy: true, scope }).then(({ verdict }) => verdict)
const light = (id: string) => admit(id).then(({ verdict }) => verdict)
const end = async (id: string, result = 'succeeded', scope = KEY) =>
  parse((await run(END, keys.limits(scope), [id, scope, result])) as string[])
const refuse = async (id: string, which: 'key' | 'heavy', waitMs: number, unasked: string[] = []) =>
  parse((await run(REFUSE, keys.limits(KEY), [id, KEY, which, waitMs, ...unasked])) as string[])
const renewSlots = (...ids: string[]) => run(RENEW, [keys.slots], [LEASE_MS, ...ids.flatMap((id) => [1, id])])
const taken = async () => (await status()).taken

describe('slots', () => {
  beforeEach(() => initialize())

  test('that processes took which died while the clock was a year ahead are free a lease after it was set back', async () => {
    scripts.at(START + 8_760 * HOUR)
    expect([await heavy('a'), await heavy('b')]).toEqual(['granted', 'granted'])
    scripts.at(START)
    expect(await heavy('c')).toBe('queued')
    scripts.at(START + LEASE_MS)
    expect(await heavy('c')).toBe('granted')
  })

  test('that a request asked for while the clock was ahead are given in the order of those that still ask', async () => {
    scripts.at(START + 8_760 * HOUR)
    expect([await heavy('a'), await heavy('b')]).toEqual(['granted', 'granted'])
    expect([await heavy('dead'), await heavy('waits')]).toEqual(['queued', 'queued'])
    scripts.at(START)
    expect(await heavy('waits')).toBe('queued')
    scripts.later(1)
    expect(await heavy('c')).toBe('queued')
    scripts.at(START + LEASE_MS)
    await heavy('d')
    expect(await heavy('waits')).toBe('granted')
  })

  test('asked again with the same id, the first result stays', async () => {
    await heavy('a')
    expect(await heavy('a')).toBe('granted')
    expect(await taken()).toBe(1)
  })

  test('go to those that ask in the order in which they came', async () => {
    await heavy('a')
    await heavy('b')
    for (const id of ['c', 'd']) {
      scripts.later(1)
      expect(await heavy(id)).toBe('queued')
    }
    await end('a')
    expect([await heavy('e'), await heavy('d'), await heavy('c')]).toEqual(['queued', 'queued', 'granted'])
  })

  test('do not wait for one that stopped asking, nor for one that left', async () => {
    await heavy('a')
    await heavy('b')
    await heavy('silent')
    await heavy('left')
    await end('left', 'unused')
    await end('a')
    scripts.later(1)
    expect(await heavy('d')).toBe('queued')
    scripts.later(SILENT_MS - LEASE_MS)
    await renewSlots('b')
    scripts.later(LEASE_MS - 2)
    expect(await heavy('d')).toBe('queued')
    scripts.later(1)
    await renewSlots('b')
    expect(await heavy('d')).toBe('granted')
  })

  test('end with their lease: a late end frees nobody else, and a late renewal takes nothing back', async () => {
    await heavy('dead')
    await heavy('b')
    scripts.later(LEASE_MS - 1)
    await renewSlots('b')
    expect(await heavy('c')).toBe('queued')
    scripts.later(1)
    expect(await heavy('c')).toBe('granted')
    await end('dead')
    expect(await renewSlots('dead', 'b', 'c')).toEqual([0, 1, 1])
    expect([await taken(), await heavy('d')]).toEqual([2, 'queued'])
  })

  test('that were refused are not given later', async () => {
    await end('late', 'cancelled')
    expect(await heavy('late')).toBe('cancelled')
    expect(await taken()).toBe(0)
    scripts.later(HOUR)
    await scripts.reserve('x', 1)
    expect(await scripts.redis.hexists(keys.ledger[1] as string, 'late')).toBe(0)
  })
})

describe('a cool-down of heavy requests', () => {
  beforeEach(async () => {
    await initialize()
    await heavy('a')
    expect((await refuse('a', 'heavy', 500)).ms).toBe(500)
  })

  test('lets one probe go, and the others when it has succeeded', async () => {
    scripts.later(500)
    expect([await heavy('b'), await heavy('c')]).toEqual(['granted', 'busy'])
    expect(await end('b', 'failed')).toMatchObject({ breakers: ['heavy', `${START + 500}:1`] })
    expect([await heavy('c'), await heavy('d')]).toEqual(['granted', 'busy'])
    expect((await end('c')).breakers).toEqual([])
    expect([await heavy('d'), await heavy('e')]).toEqual(['granted', 'granted'])
  })

  test('is not shortened by a shorter one, and is counted once', async () => {
    await refuse('b', 'heavy', 100)
    expect((await refuse('a', 'heavy', 9_000)).verdict).toBe('known')
    expect((await admit('c', { heavy: true })).ms).toBe(500)
  })

  test('lets another probe go when the process of the first is gone', async () => {
    scripts.later(500)
    await heavy('dead')
    scripts.later(LEASE_MS)
    expect(await heavy('c')).toBe('granted')
  })
})

describe('a cool-down of a key', () => {
  beforeEach(() => initialize())

  test('permits one more probe after each success, and closes a minute after the last refusal', async () => {
    await refuse('a', 'key', 700)
    scripts.later(700)
    expect([await light('b'), await light('c')]).toEqual(['granted', 'busy'])
    await end('b')
    expect([await light('c'), await light('d'), await light('e')]).toEqual(['granted', 'granted', 'busy'])
    await end('c')
    expect((await end('d')).breakers).toHaveLength(2)
    scripts.at(START + 60_000)
    await light('f')
    expect((await end('f')).breakers).toEqual([])
  })

  test('grows with refusals, from 2 s to 8 s', async () => {
    const waits: number[] = []
    for (let index = 0; index < 8; index++) {
      waits.push((await refuse(`id-${index}`, 'key', 500)).ms)
      scripts.later(500)
    }
    const left = waits.map((ms, index) => ms - (waits[index - 1] ?? 0) + 500)
    expect(left.every((ms) => ms >= 0)).toBe(true)
    expect([waits[0], waits[3], waits[4], waits[7]]).toEqual([500, 2_000, 4_000, 8_000])
  })

  test('never has more than 15 refusals of a minute and requests in flight together', async () => {
    let refusals = 0
    let inFlight = 0
    for (let index = 0; index < 200; index++) {
      const id = `id-${index}`
      const { verdict, ms } = await admit(id)
      if (verdict === 'cooldown') scripts.later(Math.min(ms, 9_000))
      if (verdict !== 'granted') continue
      inFlight++
      if (refusals + inFlight > MAX_REFUSALS) break
      inFlight--
      refusals++
      await refuse(id, 'key', 10)
      if (refusals === MAX_REFUSALS) break
    }
    expect(refusals).toBe(MAX_REFUSALS)
    const first = (await admit('next')).ms
    expect((await admit('next')).verdict).toBe('cooldown')
    scripts.later(first)
    expect((await admit('next')).verdict).toBe('granted')
  })

  test('counts requests that were sent before their member knew, and probes whose process is gone', async () => {
    const unasked = Array.from({ length: 13 }, (_, index) => `sent-${index}`)
    await refuse('a', 'key', 100, unasked)
    scripts.later(100)
    expect([await light('b'), await light('c')]).toEqual(['granted', 'busy'])
    await end('b')
    expect([await light('c'), await light('d')]).toEqual(['granted', 'busy'])
    await end('sent-0')
    expect(await light('d')).toBe('granted')
    // Neither c nor d ends: their leases do, and both may have been refused. The others were not refused.
    scripts.later(LEASE_MS)
    expect([await light('e'), await light('f')]).toEqual(['granted', 'granted'])
    expect(await scripts.redis.zcard(keys.limits(KEY)[8] as string)).toBe(3)
  })

  test('counts requests that were sent while the clock was ahead for one lease after it was set back', async () => {
    scripts.at(START + 8_760 * HOUR)
    const unasked = Array.from({ length: 14 }, (_, index) => `sent-${index}`)
    await refuse('a', 'key', 100, unasked)
    scripts.at(START)
    expect(await light('b')).toBe('cooldown')
    scripts.later(100)
    expect(await light('b')).toBe('busy')
    scripts.later(LEASE_MS)
    expect(await light('b')).toBe('granted')
  })

  test('counts a lost answer as a refusal that is possible', async () => {
    await refuse('a', 'key', 100)
    scripts.later(100)
    await light('b')
    await end('b', 'lost')
    expect(await scripts.redis.zcard(keys.limits(KEY)[8] as string)).toBe(2)
  })
})

test('requests in flight of a member that is gone are forgotten, also without a refusal', async () => {
  await initialize()
  await admit('a', { heavy: true, unasked: ['gone'] })
  expect(await scripts.redis.pttl(keys.limits(KEY)[9] as string)).toBeGreaterThan(0)
})

test('breakers of keys that are not used any more are forgotten', async () => {
  await initialize()
  const other = 'key:old'
  await run(REFUSE, keys.limits(other), ['a', other, 'key', 100])
  scripts.later(HOUR + 101)
  expect((await refuse('b', 'key', 100)).breakers[0]).toBe(KEY)
  for (const key of keys.limits(other).slice(7, 9)) expect(await scripts.redis.pttl(key)).toBeLessThan(HOUR)
})

describe('leases of buyers', () => {
  const buy = (owner: string, leaseMs: number, ...addresses: string[]) =>
    run(BUY, addresses.map(keys.buyer), [owner, leaseMs])

  test('one member buys an address at a time', async () => {
    expect(await buy('one', LEASE_MS, 'a', 'b')).toEqual([1, 1])
    expect(await buy('two', LEASE_MS, 'b', 'c')).toEqual([0, 1])
    expect(await buy('one', LEASE_MS, 'a')).toEqual([1])
    await buy('two', 0, 'a', 'b')
    expect(await buy('two', LEASE_MS, 'a', 'b')).toEqual([0, 0])
    await buy('one', 0, 'a')
    expect(await buy('two', LEASE_MS, 'a', 'b')).toEqual([1, 0])
  })

  test('a lease of a member that ended while the clock was a year ahead lasts for one lease after it was set back', async () => {
    scripts.later(8_760 * HOUR)
    await buy('dead', LEASE_MS, 'a')
    scripts.at(START)
    expect(await buy('two', LEASE_MS, 'a')).toEqual([0])
    scripts.later(LEASE_MS)
    expect(await buy('two', LEASE_MS, 'a')).toEqual([1])
  })

  test('a lease ends by itself, and leaves nothing', async () => {
    await buy('dead', LEASE_MS, 'a', 'b')
    scripts.later(LEASE_MS)
    expect(await buy('two', LEASE_MS, 'a')).toEqual([1])
    await buy('dead', 0, 'a')
    expect(await buy('three', LEASE_MS, 'a')).toEqual([0])
    await buy('two', 0, 'a')
    expect(await scripts.redis.exists(keys.buyer('a'))).toBe(0)
    expect(await scripts.redis.pttl(keys.buyer('b'))).toBeGreaterThan(0)
  })
})
