import { type ClientOptions, createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { describe, expect, it } from 'vitest'
import type { FakeService } from '../../src/fake/index.ts'
import { collectGarbage } from '../support/garbage.ts'
import { ask, BOLT, NOON, WETN } from './setup.ts'

it('a reset that keeps the world keeps its prices, also where the clock goes back', async () => {
  const { fake, request: get } = ask()
  const price = async () => (await (await get(`/prices/52014/${BOLT}`)).json()).data.usd
  await fake.advance(3_600_000)
  fake.world.setPrice(BOLT, '5')
  fake.reset({ keep: ['world'] })
  expect([fake.now(), await price()]).toEqual([NOON, '5'])
  await fake.advance(3_600_000)
  fake.world.setPrice(BOLT, '7', { overMs: 60_000 })
  await fake.advance(30_000)
  fake.reset({ keep: ['world'] })
  expect(await price()).toBe('6')
  await fake.advance(30_000)
  expect(await price()).toBe('7')
  fake.reset({ keep: ['world', 'clock'] })
  expect(await price()).toBe('7')
})

describe('snapshot and restore', () => {
  it('bring back keys, ledger, journal, faults, stubs, data and time', async () => {
    const { fake, request: get } = ask({ keys: { k: 1_000 }, rateLimit: { requests: 2 } })
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
      fake.addKeys({ other: 1 })
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

  it('share what is equal: a hundred of a full journal are no larger than the references to it', async () => {
    const { fake } = ask()
    for (let i = 0; i < 1_000; i++) await fake.fetch(`${fake.baseUrl}/prices/etn?i=${i}`, { method: 'POST' })
    const heap = () => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = heap()
    const snapshots = Array.from({ length: 100 }, () => fake.snapshot())
    expect((heap() - before) / 1e6).toBeLessThan(2)
    expect(snapshots).toHaveLength(100)
  })

  it('keep a request that was under way as it was', async () => {
    const { fake, request: get } = ask()
    fake.fault({ delayMs: 1_000 })
    const asked = get('/prices/etn')
    const before = [fake.journal(), fake.ledger()]
    const snapshot = fake.snapshot()
    await fake.advance(1_000)
    await asked
    expect([fake.journal(), fake.ledger()]).not.toEqual(before)
    for (let round = 0; round < 2; round++) {
      fake.restore(snapshot)
      expect([fake.journal(), fake.ledger()]).toEqual(before)
    }
  })

  it('restore rejects what is no snapshot of this fake', () => {
    const { fake } = ask()
    for (const wrong of [{}, { at: NOON }, ask().fake.snapshot()])
      expect(() => fake.restore(wrong as never)).toThrow('restore takes a snapshot of this fake.')
  })
})

describe('reset with keep', () => {
  it('keeps the data, the faults, the keys and the time on demand', async () => {
    const { fake, request: get } = ask({ keys: { k: 1_000 } })
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
  })
})

/** Watches a price every ten minutes on the clock of the fake, and notes when it arrives. */
function watch(fake: FakeService, connection: Pick<ClientOptions, 'fetch' | 'baseUrl'>) {
  const client = createClient({ apiKey: fake.key, clock: fake.clock, ...connection })
  const feed = createPriceFeed(client, { clock: fake.clock })
  const seen: number[] = []
  const watching = (async () => {
    for await (const { stale } of feed.watch([BOLT], { everyMs: 600_000 })) if (!stale) seen.push(fake.now() - NOON)
  })()
  const stop = async () => {
    await feed.close()
    await watching
    await client.close()
  }
  return { seen, stop }
}

describe('fake.clock', () => {
  it('is not set back by an advance that has still to run', async () => {
    const { fake } = ask()
    const { clock } = fake
    const seen: number[] = []
    const note = () => seen.push(clock.now() - NOON, clock.monotonic() - NOON)
    const late = async () => {
      // Begins to wait when the time of the fake has moved already.
      await undefined
      note()
      await clock.sleep(5)
      note()
    }
    const advanced = [fake.advance(10_000), late(), fake.advance(1_000)]
    expect(fake.now()).toBe(NOON + 11_000)
    note()
    await Promise.all(advanced)
    note()
    expect(seen.slice(0, 2)).toEqual([0, 0])
    expect(seen.slice(-2)).toEqual([11_000, 11_000])
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
  })

  it('advance moves the time at once, and runs what is due in order, with what it starts', async () => {
    const { fake } = ask()
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

  it.each(['as fetch', 'over HTTP'])('a price feed lives on it: six hours pass in one step, %s', async (way) => {
    const { fake } = ask()
    const connection = way === 'as fetch' ? { fetch: fake.fetch } : { baseUrl: (await fake.listen()).url }
    const { seen, stop } = watch(fake, connection)
    await fake.advance(6 * 3_600_000)
    // A feed waits 5 ms for other readers.
    expect(seen).toEqual(Array.from({ length: 36 }, (_, i) => i * 600_000 + 5))
    expect(fake.journal().map(({ at, status }) => [at - NOON, status])).toEqual(seen.map((at) => [at, 200]))
    await stop()
  })

  it.each(['restore', 'reset'] as const)(
    '%s sets the time back, and no elapsed time of who lives on it',
    async (way) => {
      const { fake } = ask()
      const start = fake.snapshot()
      const { seen, stop } = watch(fake, { fetch: fake.fetch })
      await fake.advance(3_600_000)
      const before = [seen.length, fake.clock.monotonic()]
      const slept = fake.clock.sleep(60_000)
      if (way === 'restore') fake.restore(start)
      else fake.reset()
      expect([fake.now(), fake.clock.now(), fake.clock.monotonic()]).toEqual([NOON, NOON, before[1]])
      await fake.advance(6_000_000)
      await slept
      expect([seen.length, fake.now(), fake.clock.monotonic()]).toEqual([16, NOON + 6_000_000, NOON + 9_600_000])
      expect(before[0]).toBe(6)
      await stop()
    },
  )

  it('sleep rejects with the reason of its signal, and ends when the fake is closed', async () => {
    const { fake } = ask()
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
      const { random } = ask({ seed }).fake.clock
      return [random(), random(), random()]
    }
    expect(draw('a')).toEqual(draw('a'))
    expect(draw('a')).not.toEqual(draw('b'))
    expect(new Set(draw('a')).size).toBe(3)
  })
})
