import { InvalidRequestError, type Trade } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { TradeDedupe } from '../../src/feed/trades/dedupe.ts'
import { MINUTE, read, SECOND, setupFeed, types } from './setup.ts'

const { BOLT } = fakeTokens
const trade = (number: number): Trade => ({ hash: `0x${number}`, timestamp: number })

describe('the trade dedupe', () => {
  const page = (...numbers: number[]) => ({ trades: numbers.map(trade), isComplete: false })

  test('returns each trade once, newest last', () => {
    const dedupe = new TradeDedupe()
    expect(dedupe.add(page(3, 2, 1))).toEqual({ fresh: [1, 2, 3].map(trade), gap: undefined })
    expect(dedupe.add(page(4, 3, 2))).toEqual({ fresh: [trade(4)], gap: undefined })
    // An older answer adds nothing, even if it goes back further.
    expect(dedupe.add(page(3, 2, 1, 0)).fresh).toEqual([])
    expect(dedupe.add(page(9, 8, 7))).toEqual({ fresh: [7, 8, 9].map(trade), gap: { from: 4, to: 7 } })
    expect(dedupe.add({ ...page(12, 11), isComplete: true })).toEqual({ fresh: [11, 12].map(trade), gap: undefined })
  })

  test('does not return trades later that a gap reported as missed', () => {
    const dedupe = new TradeDedupe()
    dedupe.add(page(3, 2, 1))
    expect(dedupe.add(page(9, 8)).gap).toEqual({ from: 3, to: 8 })
    // An answer from before the gap.
    expect(dedupe.add(page(6, 5, 4, 3))).toEqual({ fresh: [], gap: undefined })
    expect(dedupe.add(page(10, 9, 8, 7, 6, 5, 4, 3))).toEqual({ fresh: [trade(10)], gap: undefined })
    expect(dedupe.add(page(11, 10, 9, 8, 7)).fresh).toEqual([trade(11)])
  })

  test('counts identical trades of one transaction', () => {
    const dedupe = new TradeDedupe()
    expect(dedupe.add(page(1)).fresh).toHaveLength(1)
    expect(dedupe.add(page(1, 1)).fresh).toHaveLength(1)
    expect(dedupe.add(page(2, 1, 1)).fresh).toEqual([trade(2)])
  })
})

test('yields each trade once, newest last, and adapts its interval', async () => {
  const { feed, clock, fake } = setupFeed()
  const { seen } = read(feed.trades({ token: BOLT, everyMs: { min: 30 * SECOND, max: 60 * MINUTE } }))
  await clock.advance(6 * 60 * MINUTE)
  const times = seen.map(({ timestamp }) => timestamp ?? 0)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(seen.length)
  expect(seen.length).toBeGreaterThan(26)
  const polls = fake.journal({ operation: 'trade.list' }).length
  expect(polls).toBeLessThan(30)
  await feed.close()
  expect(clock.pending).toBe(0)
})

test('reports a gap if every trade of a page is new, and requests sooner', async () => {
  const { feed, clock, fake, events } = setupFeed()
  let page = 0
  const transform = () => ({
    data: Array.from({ length: 25 }, (_, n) => trade(page * 25 + 25 - n)),
    cursor: String(page++),
  })
  fake.fault({ operation: 'trade.list', transform, times: Number.POSITIVE_INFINITY })
  const gaps: number[] = []
  const { seen } = read(
    feed.trades({ everyMs: { min: MINUTE, max: 8 * MINUTE }, onGap: () => void gaps.push(clock.now()) }),
  )
  await clock.advance(3 * MINUTE + SECOND)
  expect(seen).toHaveLength(100)
  expect(gaps).toHaveLength(3)
  expect(events.find(({ type }) => type === 'feed.gap')).toEqual({
    type: 'feed.gap',
    token: undefined,
    from: 25,
    to: 26,
  })
})

test('requests a token without trades less and less often, up to the maximum', async () => {
  const { feed, clock, fake } = setupFeed()
  const start = clock.now()
  const transform = () => ({ data: [], cursor: null })
  fake.fault({ operation: 'trade.list', transform, times: Number.POSITIVE_INFINITY })
  read(feed.trades({ everyMs: { min: MINUTE, max: 8 * MINUTE } }))
  await clock.advance(31 * MINUTE)
  expect(fake.journal().map(({ at }) => (at - start) / MINUTE)).toEqual([0, 2, 6, 14, 22, 30])
})

test('requests nothing while the reader does not read', async () => {
  const { feed, clock, fake } = setupFeed()
  const trades = feed.trades({ everyMs: MINUTE })
  await trades.next()
  await clock.advance(60 * MINUTE)
  fake.expectRequests(1)
  await trades.return()
  expect(clock.pending).toBe(0)
})

test('waits for a transient failure', async () => {
  const { feed, clock, fake, events } = setupFeed()
  fake.fault({ status: 503, retryAfter: '5' })
  const { seen } = read(feed.trades({ everyMs: MINUTE }))
  await clock.advance(6 * SECOND)
  expect(seen).toHaveLength(25)
  expect(types(events)).toEqual(['feed.waiting', 'feed.resumed', 'feed.bought'])
})

test.each([{ everyMs: 0 }, { everyMs: { min: 5, max: 1 } }, { everyMs: 5, token: '0x1' }])(
  'rejects the options %j',
  (options) => {
    const { feed } = setupFeed()
    expect(() => feed.trades(options)).toThrow(InvalidRequestError)
  },
)
