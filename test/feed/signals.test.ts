import { InvalidRequestError } from 'etn-market'
import { watchCandles } from 'etn-market/candles'
import { fakeTokens, fakeWallets } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { watchPortfolio } from 'etn-market/portfolio'
import { followTrades } from 'etn-market/trades'
import { expect, test } from 'vitest'
import { flush } from '../support/clock.ts'
import { rejection } from '../support/setup.ts'
import { MINUTE, setupFeed } from './setup.ts'

const { BOLT } = fakeTokens
const [WALLET = ''] = Object.values(fakeWallets)

async function first(iterable: AsyncIterable<unknown>): Promise<unknown> {
  for await (const one of iterable) return one
  return undefined
}

test.each([null, 'soon', 5, {}])(
  'a signal that is none, such as %j, is refused wherever a feed takes one',
  async (given) => {
    const { feed, fake } = setupFeed()
    const signal = given as never
    const calls = {
      price: async () => feed.price(BOLT, { signal }),
      watch: async () => first(feed.watch(BOLT, { everyMs: MINUTE, signal })),
      alert: async () => first(feed.alert(BOLT, { below: '1', everyMs: MINUTE, signal })),
      trades: async () => first(followTrades(feed, { everyMs: MINUTE, signal })),
      candles: async () => first(watchCandles(feed, BOLT, { bucket: '1h', everyMs: MINUTE, signal })),
      portfolio: async () => first(watchPortfolio(feed, WALLET, { everyMs: MINUTE, signal })),
    }
    for (const call of Object.values(calls)) {
      expect(await rejection(call(), InvalidRequestError)).toMatchObject({ code: 'invalid_option' })
    }
    fake.expectRequests(0)
  },
)

test('a client that createClient did not make gets real signals, which abort with the feed', async () => {
  const { client, clock } = setupFeed()
  const signals: unknown[] = []
  const record = (options?: { signal?: unknown }) => {
    signals.push(options?.signal)
    return { withMeta: () => new Promise(() => {}) }
  }
  const estimate = () => {}
  const method = Object.assign((_: unknown, options?: object) => record(options), { estimate })
  const foreign = {
    ...{ token: { price: method, candles: method }, prices: { batch: method }, trade: { list: method } },
    balances: client.balances,
  }
  const feed = createPriceFeed(foreign as never, { clock })
  void feed.price(BOLT).catch(() => {})
  void first(watchCandles(feed, BOLT, { bucket: '1h', everyMs: MINUTE }))
  void first(followTrades(feed, { everyMs: MINUTE }))
  await clock.advance(MINUTE)
  const isReal = (signal: unknown): signal is AbortSignal => signal instanceof AbortSignal
  expect([signals.length, signals.every(isReal)]).toEqual([3, true])
  void feed.close()
  await flush()
  expect(signals.filter(isReal).map(({ aborted }) => aborted)).toEqual([true, true, true])
})
