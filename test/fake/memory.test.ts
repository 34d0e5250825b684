import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { describe, expect, it, vi } from 'vitest'
import type { FakeFilter, FakeServiceOptions, ResetOptions } from '../../src/fake/index.ts'
import { BOLT, makeFake, NOON, WETN } from './setup.ts'

function play(options?: FakeServiceOptions) {
  const fake = makeFake(options)
  const get = (path: string, key = fake.key) =>
    fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
  return { fake, get }
}

describe('options of methods', () => {
  it('wrong ones are refused with their name', () => {
    const { fake } = play()
    expect(() => fake.peakInFlight({ heavyy: true } as object)).toThrow(/^peakInFlight knows no option "heavyy"/)
    expect(() => fake.reset({ keep: 'world' } as unknown as ResetOptions)).toThrow('keep is a list, not "world".')
    expect(() => fake.addKeys(null as unknown as Record<string, number>)).toThrow(/^keys is an object/)
    expect(() => fake.addKeys([5] as unknown as Record<string, number>)).toThrow(/^keys is an object/)
  })
})

describe('filters', () => {
  it('select by operation and key, in expectations too', async () => {
    const { fake, get } = play({ keys: { a: 1_000, b: 1_000 } })
    await get('/prices/etn', 'a')
    await get('/prices/etn', 'b')
    expect(fake.charged({ key: 'b' })).toBe(25)
    fake.expectCredits(25, { key: 'a' })
    fake.expectRequests({ 'etn.price': 1 }, { key: 'a' })
    expect(() => fake.expectRequests(2, { key: 'a' })).toThrow('Expected 2 requests ({"key":"a"}), not 1.')
  })

  it.each<[unknown, string]>([
    [{ operation: 'token.prise' }, 'operation is one of etn.price'],
    [{ operations: 'etn.price' }, 'A filter knows no option "operations"'],
    [{ key: 5 }, 'key is a text'],
  ])('reject %j', (filter, message) => {
    const { fake } = play()
    for (const read of [fake.charged, fake.ledger, fake.journal])
      expect(() => read(filter as FakeFilter)).toThrow(message)
    expect(() => fake.expectCredits(0, filter as FakeFilter)).toThrow(message)
  })
})

describe('the journal', () => {
  it('lists the newest requests and charges, and its sums stay right', async () => {
    const { fake, get } = play({ journal: { max: 3 } })
    for (let i = 0; i < 10; i++) await get('/prices/etn')
    await get('/nft/stats')
    expect(fake.journal().map(({ id }) => id)).toEqual([9, 10, 11])
    expect(fake.ledger().map(({ request }) => request)).toEqual([9, 10, 11])
    fake.expectCredits({ 'etn.price': 250, 'nft.stats': 25 })
    fake.expectRequests(11)
    expect(fake.charged()).toBe(275)
    expect(() => fake.expectRequests(10)).toThrow('8 older requests are not listed: see journal.max.')
  })

  it('masks keys that are not its own, and lists headers on demand', async () => {
    const { fake, get } = play({ journal: { headers: true } })
    await get('/prices/etn', 'esk_live_0123456789abcdef')
    await get('/prices/etn')
    const text = JSON.stringify(fake.journal())
    expect(text).not.toContain('0123456789')
    expect(fake.journal().map(({ key }) => key)).toEqual(['esk_***ef', fake.key])
    expect(fake.journal()[1]?.headers).toMatchObject({ authorization: `Bearer ${fake.key}` })
    expect(() => fake.expectRequests(0)).toThrow('key esk_***ef')
    const foreign = { key: 'esk_live_0123456789abcdef' }
    fake.expectRequests({ 'etn.price': 1 }, foreign)
    fake.expectCredits(0, foreign)
    expect(fake.journal(foreign).map(({ status }) => status)).toEqual([401])
    expect(() => fake.expectRequests(5, foreign)).toThrow('({"key":"esk_***ef"})')
    const plain = play()
    await plain.get('/prices/etn')
    expect(plain.fake.journal()[0]).not.toHaveProperty('headers')
  })

  it('masks a foreign key that stands in a URL', async () => {
    const { fake, get } = play()
    await get('/prices/etn?key=esk_live_0123456789abcdef')
    expect(fake.journal()[0]).toMatchObject({ query: { key: 'esk_***ef' } })
    expect(JSON.stringify(fake.journal())).not.toContain('0123456789')
  })

  it('masks a foreign key in the description of a fault too', async () => {
    const secret = 'esk_live_very_secret_99'
    const { fake, get } = play()
    fake.fault({ key: secret, status: 500, times: 2 })
    await get('/prices/etn', secret)
    expect([fake.faults()[0]?.label, fake.journal()[0]?.fault]).toEqual(
      Array(2).fill('status 500 on any operation of key esk_***99'),
    )
    expect(() => fake.expectNoUnusedFaults()).toThrow(/^(?!.*very_secret)/s)
    expect(fake.fault({ key: fake.key, status: 500 }).label).toContain(`of key ${fake.key}`)
  })

  it('holds 10,000 entries by default', async () => {
    const { fake } = play()
    for (let i = 0; i < 10_100; i++) await fake.fetch(`${fake.baseUrl}/openapi.json?i=${i}`, { method: 'POST' })
    expect(fake.journal()).toHaveLength(10_000)
    fake.expectRequests(10_100)
    expect(() => fake.expectRequests(0)).toThrow('100 older requests are not listed: see journal.max.')
  })

  it('a log that throws or rejects fails nothing', async () => {
    const logs = [
      () => {
        throw new Error('no')
      },
      async () => {
        throw new Error('no')
      },
    ]
    for (const log of logs) {
      const { fake, get } = play({ log: log as () => void })
      expect((await get('/prices/etn')).status).toBe(200)
      expect(fake.journal()[0]?.finished).toBe(true)
    }
    expect(() => play({ log: 'yes' as never })).toThrow('log is a function.')
  })
})

describe('addKeys', () => {
  it('adds all keys or none', () => {
    const { fake } = play({ keys: { a: 1 } })
    expect(() => fake.addKeys({ b: 2, c: -1 })).toThrow('The credits of c')
    expect(Object.keys(fake.keys())).toEqual(['a'])
    fake.addKeys({ b: 2, a: { credits: 5, tier: 'x' } })
    expect(fake.keys()).toEqual({ a: { credits: 5, tier: 'x' }, b: { credits: 2, tier: 'standard' } })
  })
})

describe('snapshot and restore', () => {
  it('bring back keys, ledger, journal, faults, stubs, data and time', async () => {
    const { fake, get } = play({ keys: { k: 1_000 }, rateLimit: { requests: 2 } })
    await get('/prices/etn')
    fake.fault({ status: 500, times: 2 })
    fake.stub('nft.stats', ({ data }) => data)
    fake.world.setPrice(BOLT, '5')
    await get('/prices/etn')
    fake.advance(1_000)
    const state = () => ({
      keys: fake.keys(),
      ledger: fake.ledger(),
      journal: fake.journal(),
      faults: fake.faults().map(({ id, label, hits }) => ({ id, label, hits })),
      now: fake.now(),
    })
    const before = state()
    const snapshot = fake.snapshot()
    expect(snapshot.at).toBe(NOON + 1_000)
    for (let round = 0; round < 2; round++) {
      fake.world.setPrice(BOLT, '6')
      fake.addKey('other', 1)
      fake.advance(60_000)
      await get('/prices/etn')
      await get(`/prices/52014/${BOLT}`)
      expect(state()).not.toEqual(before)
      fake.restore(snapshot)
      expect(state()).toEqual(before)
    }
    await get('/prices/etn')
    expect((await (await get(`/prices/52014/${BOLT}`)).json()).data.usd).toBe('5')
    expect((await get('/prices/etn')).status).toBe(429)
  })

  it('restore rejects what is no snapshot of this fake', () => {
    const { fake } = play()
    for (const wrong of [{}, { at: NOON }, play().fake.snapshot()])
      expect(() => fake.restore(wrong as never)).toThrow('restore takes a snapshot of this fake.')
  })
})

describe('reset with keep', () => {
  it('keeps the data, the faults, the keys and the time on demand', async () => {
    const { fake, get } = play({ keys: { k: 1_000 } })
    const change = async () => {
      fake.world.setPrice(WETN, '5')
      fake.stub('nft.stats', ({ data }) => ({ ...data, updatedAt: 'now' }))
      fake.fault({ status: 500, operation: 'farm.list' })
      await get('/prices/etn')
      fake.advance(1_000)
    }
    const look = async () => ({
      price: (await (await get('/prices/etn')).json()).data.usd === '5',
      stub: (await (await get('/nft/stats')).json()).data.updatedAt === 'now',
      faults: fake.faults().length,
      credits: fake.remaining(),
      now: fake.now() - NOON,
    })
    await change()
    fake.reset({ keep: ['world', 'faults', 'keys', 'clock'] })
    expect(fake.journal()).toEqual([])
    expect(await look()).toEqual({ price: true, stub: true, faults: 1, credits: 925, now: 1_000 })
    fake.reset()
    expect(await look()).toEqual({ price: false, stub: false, faults: 0, credits: 950, now: 0 })
    expect(() => fake.reset({ keep: ['keyz'] } as unknown as ResetOptions)).toThrow('keep is one of world, faults')
    expect(() => fake.reset({ kept: [] } as ResetOptions)).toThrow('reset knows no option "kept"')
  })
})

describe('fake.clock', () => {
  it('advance moves the time at once, and runs what is due in order, with what it starts', async () => {
    const { fake } = play()
    const seen: [string, number][] = []
    const { clock } = fake
    const note = (name: string) => seen.push([name, clock.now() - NOON])
    const chain = async () => {
      for (let i = 1; i <= 3; i++) {
        await clock.sleep(1_000)
        note(`tick ${i}`)
      }
    }
    void chain()
    void clock.sleep(1_500).then(() => note('once'))
    void clock.sleep(60_000).then(() => note('late'))
    const advanced = fake.advance(10_000)
    expect(fake.now()).toBe(NOON + 10_000)
    await advanced
    expect(seen).toEqual([
      ['tick 1', 1_000],
      ['once', 1_500],
      ['tick 2', 2_000],
      ['tick 3', 3_000],
    ])
    expect([clock.now(), clock.monotonic()]).toEqual([NOON + 10_000, NOON + 10_000])
  })

  it('a client lives on it: retry waits end when the time is advanced', async () => {
    const { fake } = play()
    const client = createClient({ apiKey: fake.key, baseUrl: fake.baseUrl, fetch: fake.fetch, clock: fake.clock })
    fake.script('etn.price', [
      { status: 429, retryAfter: 30 },
      { status: 429, retryAfter: 20 },
    ])
    const price = client.etn.price()
    await vi.waitFor(() => fake.expectRequests(1))
    await fake.advance(60_000)
    expect(await price).toHaveProperty('usd')
    const times = fake.journal().map(({ at }) => at - NOON)
    expect(times[1]).toBeGreaterThanOrEqual(30_000)
    expect(times[2]).toBeGreaterThanOrEqual(50_000)
    expect(times[2]).toBeLessThan(60_000)
    await client.close()
  })

  it.each(['as fetch', 'over HTTP'])('a price feed lives on it: six hours pass in one step, %s', async (way) => {
    const { fake } = play()
    const connection = way === 'as fetch' ? { fetch: fake.fetch } : { baseUrl: (await fake.listen()).url }
    const client = createClient({ apiKey: fake.key, clock: fake.clock, ...connection })
    const feed = createPriceFeed(client, { clock: fake.clock })
    const seen: number[] = []
    const watching = (async () => {
      for await (const { stale } of feed.watch([BOLT], { everyMs: 600_000 })) if (!stale) seen.push(fake.now() - NOON)
    })()
    await fake.advance(6 * 3_600_000)
    // A feed waits 5 ms for other readers.
    expect(seen).toEqual(Array.from({ length: 36 }, (_, i) => i * 600_000 + 5))
    expect(fake.journal().map(({ at, status }) => [at - NOON, status])).toEqual(seen.map((at) => [at, 200]))
    await feed.close()
    await watching
    await client.close()
  })

  it('sleep rejects with the reason of its signal, and ends when the fake is closed', async () => {
    const { fake } = play()
    const controller = new AbortController()
    const sleeping = fake.clock.sleep(1e6, controller.signal)
    controller.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
    const other = fake.clock.sleep(1e6)
    await fake.close()
    await other
  })

  it('random numbers come from the seed', () => {
    const draw = (seed: string) => {
      const { random } = play({ seed }).fake.clock
      return [random(), random(), random()]
    }
    expect(draw('a')).toEqual(draw('a'))
    expect(draw('a')).not.toEqual(draw('b'))
    expect(new Set(draw('a')).size).toBe(3)
  })
})
