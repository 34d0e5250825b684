import { InvalidRequestError, type Trade } from 'etn-market'
import { followTrades } from 'etn-market/trades'
import { expect, test } from 'vitest'
import { TradeDedupe } from '../../src/trades/dedupe.ts'
import { MINUTE, read, SECOND, setupFeed, types } from '../feed/setup.ts'

const trade = (number: number): Trade => ({ hash: `0x${number}`, timestamp: number })

test('the trade dedupe counts identical trades of one transaction', () => {
  const dedupe = new TradeDedupe()
  const page = (...numbers: number[]) => ({ trades: numbers.map(trade), isComplete: false })
  expect(dedupe.add(page(1)).fresh).toHaveLength(1)
  expect(dedupe.add(page(1, 1)).fresh).toHaveLength(1)
  expect(dedupe.add(page(2, 1, 1)).fresh).toEqual([trade(2)])
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
    followTrades(feed, { everyMs: { min: MINUTE, max: 8 * MINUTE }, onGap: () => void gaps.push(clock.now()) }),
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
  read(followTrades(feed, { everyMs: { min: MINUTE, max: 8 * MINUTE } }))
  await clock.advance(31 * MINUTE)
  expect(fake.journal().map(({ at }) => (at - start) / MINUTE)).toEqual([0, 2, 6, 14, 22, 30])
})

test('buys nothing for a reader who has left, and goes on for another one', async () => {
  const { feed, client, clock, fake } = setupFeed()
  const controller = new AbortController()
  // The key is held up before the trades are asked for.
  fake.fault({ operation: 'etn.price', status: 429, retryAfter: 30, times: 1 })
  const refused = client.etn.price().catch(() => {})
  await clock.advance(SECOND)
  const { end } = read(followTrades(feed, { everyMs: MINUTE, signal: controller.signal }))
  await clock.advance(SECOND)
  controller.abort(new Error('left'))
  await clock.advance(2 * MINUTE)
  expect(end).toMatchObject({ state: 'rejected', error: { message: 'left' } })
  await refused
  expect(fake.charged({ operation: 'trade.list' })).toBe(0)
  const { seen } = read(followTrades(feed, { everyMs: MINUTE }))
  await clock.advance(SECOND)
  expect(seen).toHaveLength(25)
})

test('requests nothing while the reader does not read', async () => {
  const { feed, clock, fake } = setupFeed()
  const trades = followTrades(feed, { everyMs: MINUTE })[Symbol.asyncIterator]()
  await trades.next()
  await clock.advance(60 * MINUTE)
  fake.expectRequests(1)
  await trades.return?.()
  expect(clock.pending).toBe(0)
})

test('waits for a transient failure', async () => {
  const { feed, clock, fake, events } = setupFeed()
  fake.fault({ status: 503, retryAfter: '5' })
  const { seen } = read(followTrades(feed, { everyMs: MINUTE }))
  await clock.advance(6 * SECOND)
  expect(seen).toHaveLength(25)
  expect(types(events)).toEqual(['feed.waiting', 'feed.resumed', 'feed.bought'])
})

test.each([{ everyMs: 0 }, { everyMs: { min: 5, max: 1 } }, { everyMs: 5, token: '0x1' }])(
  'rejects the options %j',
  (options) => {
    const { feed } = setupFeed()
    expect(() => followTrades(feed, options)).toThrow(InvalidRequestError)
  },
)

test('return ends a read that waits, at once', async () => {
  const { feed, clock, fake } = setupFeed()
  fake.stub('trade.list', () => [])
  const trades = followTrades(feed, { everyMs: MINUTE })[Symbol.asyncIterator]()
  const waiting = trades.next()
  await clock.advance(SECOND)
  expect(await trades.return?.()).toMatchObject({ done: true })
  expect(await waiting).toMatchObject({ done: true })
  await clock.advance(10 * MINUTE)
  fake.expectRequests(1)
  expect(clock.pending).toBe(0)
})
