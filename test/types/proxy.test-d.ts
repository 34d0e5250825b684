import type { Client } from 'etn-market'
import type { PriceFeed } from 'etn-market/feed'
import { type AllowedOperation, createProxy, type MarketProxy, type ProxyOptions } from 'etn-market/proxy'
import { expectTypeOf, test } from 'vitest'

declare const client: Client
declare const feed: PriceFeed
const budget = false

test('a proxy is a handler of a request', () => {
  const proxy = createProxy({ client, allow: ['nft.stats'], budget: false })
  expectTypeOf(proxy).toExtend<(request: Request) => Promise<Response>>()
  expectTypeOf<MarketProxy>().toExtend<AsyncDisposable>()
})

test('the options of a proxy', () => {
  const allow: AllowedOperation[] = [{ operation: 'token.candles', limit: 200, values: { bucket: ['1h'] } }]
  createProxy({
    client,
    allow,
    budget: { credits: 5, windowMs: 5 },
    feed,
    stream: { maxAddresses: 20 },
    visitor: async (request) => request.headers.get('x'),
  })
  // @ts-expect-error it needs to be told what is allowed
  createProxy({ client, budget })
  // @ts-expect-error it needs to be told what may be spent
  createProxy({ client, allow })
  createProxy({ client, allow, budget, feed, visitorCookie: { name: 'who' }, stream: { perVisitor: { streams: 3 } } })
  // @ts-expect-error streams cost visitors nothing
  createProxy({ client, allow, budget, feed, visitorCookie: true, stream: { perVisitor: { credits: 3 } } })
  // @ts-expect-error a stream needs a feed
  createProxy({ client, allow, budget, stream: {} })
  // @ts-expect-error no such operation
  createProxy({ client, budget, allow: ['token.prices'] })
  // @ts-expect-error an identity is a text
  createProxy({ client, budget, allow, visitor: () => 5 })
  // @ts-expect-error the budget of a visitor needs a window
  createProxy({ client, budget, allow, perVisitor: { credits: 5 } })
  // @ts-expect-error origins are a list
  createProxy({ client, budget, allow, cors: { origins: '*' } })
  expectTypeOf<ProxyOptions['client']>().toEqualTypeOf<Client>()
})
