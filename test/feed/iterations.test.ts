import { watchCandles } from 'etn-market/candles'
import { fakeTokens } from 'etn-market/fake'
import type { PriceFeed } from 'etn-market/feed'
import { watchPortfolio } from 'etn-market/portfolio'
import { followTrades } from 'etn-market/trades'
import { describe, expect, test } from 'vitest'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
import { MINUTE, read, SECOND, setupFeed, types } from './setup.ts'

const { BOLT, CORE } = fakeTokens
const WALLET = `0x${'0'.repeat(37)}abc`
const TEN = 10 * MINUTE

type Open = (feed: PriceFeed, options: { everyMs: number; signal?: AbortSignal }) => AsyncIterable<unknown>

const KINDS: readonly [string, Open][] = [
  ['watch', (feed, options) => feed.watch(CORE, options)],
  ['alert', (feed, options) => feed.alert(BOLT, { above: '0', ...options })],
  ['watchCandles', (feed, options) => watchCandles(feed, BOLT, { bucket: '1m', ...options })],
  ['portfolio', (feed, options) => watchPortfolio(feed, WALLET, options)],
  ['trades', (feed, options) => followTrades(feed, options)],
]

describe.each(KINDS)('an iteration of feed.%s', (name, open) => {
  test('rejects with client_closed once its client is closed', async () => {
    const { feed, client, clock } = setupFeed()
    const { end } = read(open(feed, { everyMs: MINUTE }))
    await clock.advance(10 * SECOND)
    expect(end.state).toBe('pending')
    await client.close()
    await clock.advance(10 * MINUTE)
    expect(end).toMatchObject({ state: 'rejected', error: { code: 'client_closed' } })
  })

  test('rejects once with the reason of its signal, without what is unread, and so do later ones', async () => {
    const { feed, clock } = setupFeed()
    const leaving = new AbortController()
    const options = { everyMs: MINUTE, signal: leaving.signal }
    const unread = open(feed, options)[Symbol.asyncIterator]()
    const reading = read(open(feed, options))
    await clock.advance(10 * SECOND)
    leaving.abort('enough')
    await flush()
    expect(reading.end).toMatchObject({ state: 'rejected', error: 'enough' })
    await expect(unread.next()).rejects.toBe('enough')
    expect(await unread.next()).toMatchObject({ done: true })
    await expect(open(feed, options)[Symbol.asyncIterator]().next()).rejects.toBe('enough')
    expect(clock.pending).toBe(0)
  })

  test('ends with return, and costs nothing afterwards', async () => {
    const { feed, fake, clock } = setupFeed()
    const iterator = open(feed, { everyMs: MINUTE })[Symbol.asyncIterator]()
    const [first] = await Promise.all([iterator.next(), clock.advance(10 * SECOND)])
    expect(first.done).toBe(false)
    // The trades that follow are known, so that no read waits.
    const waiting = name === 'trades' ? undefined : watch(iterator.next())
    await iterator.return?.()
    await flush()
    if (waiting) expect(waiting.value).toMatchObject({ done: true })
    expect(await iterator.next()).toMatchObject({ done: true })
    const before = fake.charged()
    await clock.advance(10 * MINUTE)
    expect([fake.charged() - before, feed.status().watches, clock.pending]).toEqual([0, 0, 0])
  })

  test('ends with its feed, and none begins afterwards', async () => {
    const { feed, clock } = setupFeed()
    const { end } = read(open(feed, { everyMs: MINUTE }))
    const later = open(feed, { everyMs: MINUTE })
    await clock.advance(10 * SECOND)
    await feed.close()
    await flush()
    expect(end.state).toBe('resolved')
    expect(await later[Symbol.asyncIterator]().next()).toMatchObject({ done: true })
    expect(() => open(feed, { everyMs: MINUTE })).toThrow(expect.objectContaining({ code: 'feed_closed' }))
    expect(clock.pending).toBe(0)
  })

  test('rejects where the key is refused, without asking again', async () => {
    const { feed, fake, clock, events } = setupFeed({}, {}, { apiKey: 'esk_test_unknown' })
    const readers = [read(open(feed, { everyMs: MINUTE })), read(open(feed, { everyMs: MINUTE }))]
    await clock.advance(10 * MINUTE)
    for (const { end } of readers)
      expect(end).toMatchObject({ state: 'rejected', error: { name: 'AuthenticationError' } })
    expect(fake.journal()).toHaveLength(1)
    expect(types(events)).toContain('feed.stopped')
  })
})

/** What is not a price is asked for by one requester. */
const SERIES = [
  ['watchCandles', 'token.candles', 200, (feed: PriceFeed) => watchCandles(feed, BOLT, { bucket: '1m', everyMs: TEN })],
  [
    'portfolio',
    'balances.get',
    800,
    (feed: PriceFeed) => watchPortfolio(feed, WALLET, { everyMs: TEN, balancesEveryMs: TEN }),
  ],
] as const

const withoutAges = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, each) => (key === 'ageMs' ? undefined : each))

describe.each(SERIES)('feed.%s', (_, operation, credits, open) => {
  test('waits for its interval after an answer that is paid for and of no use', async () => {
    const { feed, clock, fake } = setupFeed()
    fake.stub(operation, () => ({ nonsense: 7 }), { validate: false })
    const { seen } = read<unknown>(open(feed))
    await clock.advance(59 * MINUTE)
    expect(seen).toEqual([])
    expect(fake.ledger()).toHaveLength(6)
  })

  test('waits for its interval after lost answers, which may have been charged', async () => {
    const { feed, clock, fake } = setupFeed()
    fake.fault({ operation, reset: 'after', times: Number.POSITIVE_INFINITY })
    void read<unknown>(open(feed))
    await clock.advance(59 * MINUTE)
    // Two fast retries, as the client makes.
    expect(fake.ledger()).toHaveLength(2 + 6)
    expect(feed.status().spent).toBeGreaterThanOrEqual(8 * credits)
  })

  test('gives a slow reader the newest', async () => {
    const { feed, fake, clock } = setupFeed()
    const reader = open(feed)[Symbol.asyncIterator]()
    await Promise.all([reader.next(), clock.advance(SECOND)])
    await clock.advance(60 * MINUTE)
    const { value: newest } = await reader.next()
    const fresh = open(feed)[Symbol.asyncIterator]()
    expect(clock.now() - (fake.journal({ operation }).at(-1)?.at ?? 0)).toBeLessThanOrEqual(TEN)
    expect(withoutAges((await fresh.next()).value)).toEqual(withoutAges(newest))
  })
})
