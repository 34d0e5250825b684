import { InvalidRequestError } from 'etn-market'
import { watchCandles } from 'etn-market/candles'
import { fakeTokens, fakeWallets } from 'etn-market/fake'
import { watchPortfolio } from 'etn-market/portfolio'
import { followTrades } from 'etn-market/trades'
import { expect, test } from 'vitest'
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
