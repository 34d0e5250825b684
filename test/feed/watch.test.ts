import { fakeTokens } from 'etn-market/fake'
import type { FeedPrice } from 'etn-market/feed'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
import { MINUTE, read, recordWatch, SECOND, setupFeed, some } from './setup.ts'

const { BOLT, CORE, DYNO } = fakeTokens

afterEach(() => vi.unstubAllGlobals())

describe('callbacks', () => {
  test('get a price immediately, then one per interval', async () => {
    const { feed, clock, fake } = setupFeed()
    const start = clock.now()
    const { prices, stop } = recordWatch(feed, BOLT.toLowerCase(), MINUTE)
    await clock.advance(3 * MINUTE + 10)
    expect(prices.map(({ at }) => at - start)).toEqual([5, 60_005, 120_005, 180_005])
    expect(prices.every(({ address, ageMs, stale }) => address === BOLT.toLowerCase() && ageMs === 0 && !stale)).toBe(
      true,
    )
    fake.expectCredits(200)
    stop()
    expect(clock.pending).toBe(0)
    await clock.advance(10 * MINUTE)
    fake.expectCredits(200)
    expect(feed.status()).toMatchObject({ state: 'idle', watches: 0, addresses: 0, creditsPerDay: 0 })
  })

  test('start with fresh known prices, so that a second watch is free', async () => {
    const { feed, clock, fake } = setupFeed()
    recordWatch(feed, [BOLT, CORE, DYNO], MINUTE)
    await clock.advance(30 * SECOND)
    const second = recordWatch(feed, [CORE, DYNO], MINUTE)
    expect(second.prices).toEqual([])
    await flush()
    expect(second.prices.map(({ address }) => address)).toEqual([CORE, DYNO])
    fake.expectCredits(130)
  })

  test('follow a stricter watch only while it runs', async () => {
    const { feed, clock, fake } = setupFeed()
    recordWatch(feed, BOLT, 10 * MINUTE)
    await clock.advance(MINUTE)
    const strict = recordWatch(feed, BOLT, MINUTE)
    await clock.advance(5 * MINUTE)
    fake.expectRequests(6)
    strict.stop()
    await clock.advance(9 * MINUTE)
    fake.expectRequests(6)
  })

  test('pass errors of onPrice to onError, and ignore errors of onError', async () => {
    const { feed, clock } = setupFeed()
    const heard: unknown[] = []
    const mistake = new Error('mistake')
    const fail = () => {
      throw mistake
    }
    const onError = (error: unknown) => {
      heard.push(error)
      throw new Error('another')
    }
    feed.watch(BOLT, { everyMs: MINUTE, onPrice: fail, onError })
    feed.watch(BOLT, { everyMs: MINUTE, onPrice: async () => fail(), onError: async (error) => onError(error) })
    await clock.advance(MINUTE - 1)
    expect(heard).toEqual([mistake, mistake])
  })

  test('end with their signal', async () => {
    const { feed, clock, fake } = setupFeed()
    const leaving = new AbortController()
    feed.watch(BOLT, { everyMs: MINUTE, onPrice: () => {}, signal: leaving.signal })
    await clock.advance(MINUTE)
    leaving.abort()
    await clock.advance(10 * MINUTE)
    fake.expectRequests(1)
    feed.watch(BOLT, { everyMs: MINUTE, onPrice: () => {}, signal: leaving.signal })
    await clock.advance(10 * MINUTE)
    fake.expectRequests(1)
  })
})

describe('an iteration', () => {
  test('starts the watch, and its end stops it', async () => {
    const { feed, clock, fake } = setupFeed()
    const watched = feed.watch([BOLT, CORE, DYNO], { everyMs: MINUTE })
    await clock.advance(10 * MINUTE)
    fake.expectRequests(0)
    const read: FeedPrice[] = []
    const reading = (async () => {
      for await (const price of watched) {
        read.push(price)
        if (read.length === 5) break
      }
    })()
    await clock.advance(5 * MINUTE)
    await reading
    expect(new Set(read.slice(0, 3).map(({ address }) => address))).toEqual(new Set([BOLT, CORE, DYNO]))
    fake.expectRequests(2)
    expect(clock.pending).toBe(0)
  })

  test('yields the newest price of each address to a slow reader', async () => {
    const { feed, clock } = setupFeed()
    const start = clock.now()
    const reader = feed.watch([BOLT, CORE], { everyMs: MINUTE })[Symbol.asyncIterator]()
    await clock.advance(10 * MINUTE)
    const first = reader.next()
    const second = reader.next()
    const third = watch(reader.next())
    expect([(await first).value, (await second).value]).toMatchObject([
      { address: BOLT, at: start + 9 * MINUTE + 5 },
      { address: CORE, at: start + 9 * MINUTE + 5 },
    ])
    expect(third.state).toBe('pending')
    await reader.return?.()
    await flush()
    expect(third.state).toBe('resolved')
  })

  test('ends with stop', async () => {
    const { feed, clock } = setupFeed()
    const watched = feed.watch(BOLT, { everyMs: MINUTE })
    const { seen, end } = read(watched)
    await clock.advance(10)
    watched.stop()
    await flush()
    expect([seen.length, end.state, clock.pending]).toEqual([1, 'resolved', 0])
  })
})

test('a hidden page spends nothing until it is visible', async () => {
  const page = Object.assign(new EventTarget(), { hidden: true })
  vi.stubGlobal('document', page)
  const { feed, clock, fake } = setupFeed({ pauseWhenHidden: true })
  const { prices } = recordWatch(feed, BOLT, MINUTE)
  const asked = watch(feed.price(CORE))
  await clock.advance(10 * MINUTE)
  fake.expectRequests(0)
  expect(feed.status().state).toBe('paused')
  page.hidden = false
  page.dispatchEvent(new Event('visibilitychange'))
  await clock.advance(10)
  expect([prices.length, asked.state]).toEqual([1, 'resolved'])
  page.hidden = true
  page.dispatchEvent(new Event('visibilitychange'))
  await clock.advance(10 * MINUTE)
  fake.expectRequests(2)
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects an interval of %d', (everyMs) => {
  const { feed } = setupFeed()
  expect(() => feed.watch(BOLT, { everyMs })).toThrow('everyMs')
})

test.each([0.3, 1, 2])(
  'the addresses of one watch are bought together, also where %s ms pass between two of them',
  async (step) => {
    const { fake, clock, another } = setupFeed()
    let passed = 0
    let isBusy = true
    const now = () => {
      if (isBusy) passed += step
      return clock.now() + passed
    }
    const feed = another({ clock: { ...clock, now } })
    feed.watch(some(3), { everyMs: MINUTE, onPrice: () => {} })
    isBusy = false
    // In small steps, so that no timer is later than it has to be.
    for (let i = 0; i < 40; i++) await clock.advance(0.5)
    fake.expectRequests({ 'prices.batch': 1 })
  },
)
