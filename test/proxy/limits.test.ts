import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RequestRate } from '../../src/proxy/visitors.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { settle } from '../support/settle.ts'
import { batchPath, errorOf, pricePath, remainingOf, setupProxy, TOKENS } from './setup.ts'
import { setupStream } from './stream-setup.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 86_400_000
const [TOKEN = ''] = TOKENS
const FOREIGN = `0x${'0'.repeat(39)}1`

describe('requestsPerMinute', () => {
  const perVisitor = { credits: 100_000, windowMs: DAY, requestsPerMinute: 3 }

  test('limits a visitor, cached answers included, and nobody else', async () => {
    const { ask, clock } = setupProxy({ perVisitor })
    for (let request = 0; request < 3; request++) expect((await ask(pricePath(), { visitor: 'ada' })).status).toBe(200)
    const refused = await ask(pricePath(), { visitor: 'ada' })
    expect(refused.headers.get('retry-after')).toBe('80')
    expect(await errorOf(refused)).toBe('429 too_many_requests')
    expect((await ask(pricePath(), { visitor: 'bob' })).status).toBe(200)
    await clock.advance(80 * SECOND)
    expect((await ask(pricePath(), { visitor: 'ada' })).status).toBe(200)
  })

  test('counts what was asked shortly before a minute began', async () => {
    const { ask, clock } = setupProxy({ perVisitor })
    await clock.advance(59 * SECOND)
    for (let request = 0; request < 3; request++) await ask(pricePath())
    await clock.advance(2 * SECOND)
    expect((await ask(pricePath())).status).toBe(429)
  })

  test.each([
    ['400', '/tokens/52014?limit=0', 400],
    ['403', '/farms/52014', 403],
    ['404', '/nothing', 404],
    ['a method', '/tokens/52014', 405],
    ['streams', `/stream?addresses=${TOKEN}`, 200],
  ])('counts refused calls and streams, too: %s', async (_, path, status) => {
    const { ask } = setupStream({ perVisitor: { streams: 9 } }, { allow: ['token.list'], perVisitor })
    const statuses: number[] = []
    for (let call = 0; call < 5; call++)
      statuses.push((await ask(path, { method: status === 405 ? 'DELETE' : 'GET' })).status)
    expect(statuses).toEqual([status, status, status, 429, 429])
  })

  testProperty(
    'lets a visitor through as soon as Retry-After is over, and never more than twice the limit in any minute',
    fc.asyncProperty(fc.array(fc.nat(30_000), { minLength: 10, maxLength: 60 }), async (waits) => {
      const clock = createVirtualClock()
      const rate = new RequestRate(4, clock)
      const accepted: number[] = []
      for (const wait of waits) {
        clock.jump(wait)
        try {
          rate.count('ada')
        } catch (error) {
          const { retryAfterMs } = error as { retryAfterMs: number }
          expect(retryAfterMs).toBeGreaterThan(0)
          clock.jump(Math.ceil(retryAfterMs / SECOND) * SECOND)
          rate.count('ada')
        }
        accepted.push(clock.now())
      }
      for (const [index, at] of accepted.entries())
        expect(accepted.slice(index).filter((other) => other < at + MINUTE).length).toBeLessThanOrEqual(8)
    }),
    { cases: 40 },
  )
})

describe('tokens of an operation', () => {
  test('are those of a list', async () => {
    const { ask, fake } = setupProxy({
      allow: [
        { operation: 'token.price', tokens: [TOKEN] },
        { operation: 'prices.batch', tokens: TOKENS.slice(0, 3) },
        { operation: 'trade.list', tokens: [TOKEN] },
      ],
    })
    expect((await ask(`/prices/52014/${TOKEN.toLowerCase()}`)).status).toBe(200)
    expect(await errorOf(ask(pricePath(1)))).toBe('403 not_allowed')
    expect((await ask(batchPath(3))).status).toBe(200)
    expect(await errorOf(ask(batchPath(4)))).toBe('403 not_allowed')
    expect((await ask(`/trades/52014?limit=1&token=${TOKEN}`)).status).toBe(200)
    expect(await errorOf(ask('/trades/52014?limit=1'))).toBe('403 not_allowed')
    fake.expectRequests(3)
  })

  test('are the listed ones, which all visitors pay for once a week, together', async () => {
    const { ask, fake, clock } = setupProxy({
      allow: [{ operation: 'token.price', tokens: 'listed' }],
      perVisitor: { credits: 50, windowMs: DAY },
    })
    expect((await ask(pricePath(), { visitor: 'ada' })).headers.get('x-credits-remaining')).toBe('0')
    expect(await errorOf(ask(`/prices/52014/${FOREIGN}`, { visitor: 'bob' }))).toBe('403 not_allowed')
    fake.expectCredits({ 'token.list': 600, 'token.price': 50 })
    await clock.advance(8 * DAY)
    await ask(pricePath(1), { visitor: 'bob' })
    await clock.advance(SECOND)
    fake.expectCredits({ 'token.list': 1_200, 'token.price': 100 })
  })
})

describe('the state of the proxy', () => {
  const limits = { perVisitor: { creditsPerDay: 1_000 }, budget: { creditsPerDay: 9_000 } }

  test('names visitors, streams, the ten who spend most, the feed and what is left', async () => {
    const { ask, listen, proxy, clock } = setupStream({}, limits)
    for (let visitor = 0; visitor < 12; visitor++)
      for (let path = 0; path <= visitor % 3; path++)
        await ask(pricePath(10 + visitor * 3 + path), { visitor: `${visitor}` })
    await listen(`?addresses=${TOKENS.slice(0, 3)}`, { visitor: 'ada' })
    await clock.advance(SECOND)
    const status = proxy.status()
    expect(status).toMatchObject({ visitors: 12, streams: 1, feed: { state: 'running' } })
    expect(status.stream).toMatchObject({ addresses: 3, stretch: { staying: 1, rotating: 1 } })
    const resetsAt = clock.now() + DAY - SECOND
    expect(status.budget).toEqual({ limit: 9_000, spent: 1_200, available: 7_800, resetsAt })
    expect(status.topSpenders).toHaveLength(10)
    expect(status.topSpenders.slice(0, 2)).toEqual([
      { visitor: '2', spent: 150, available: 850, streams: 0 },
      { visitor: '5', spent: 150, available: 850, streams: 0 },
    ])
  })

  test('without limits and a feed is short', () => {
    const { proxy } = setupProxy()
    const empty = { visitors: 0, streams: 0, stream: undefined, topSpenders: [] }
    expect(proxy.status()).toEqual({ ...empty, budget: undefined, feed: undefined })
  })

  test('is answered to the operator only, with GET alone, visitor or not', async () => {
    const operator = (request: Request) => request.headers.get('x-operator') === 'secret'
    const visitor = (request: Request) => request.headers.get('x-visitor')
    const { ask } = setupProxy({ ...limits, operator, visitor })
    await ask(pricePath(), { visitor: 'ada' })
    const response = await ask('/_status', { headers: { 'x-operator': 'secret' } })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ visitors: 1, budget: { spent: 50 } })
    const post = ask('/_status', { method: 'POST', headers: { 'x-operator': 'secret' } })
    expect(await errorOf(post)).toBe('405 method_not_allowed')
  })

  test('of a budget that nobody has read yet has none of its totals, and the operator reads them', async () => {
    const budget = () => ({ credits: 9_000, windowMs: DAY, store: new Map(entries) })
    const entries = new Map<string, string>()
    const first = setupProxy({ budget: { ...budget(), store: entries } })
    await first.ask(pricePath())
    await first.proxy.close()
    const { proxy, ask } = setupProxy({ budget: budget(), operator: () => true })
    expect(proxy.status().budget).toBeUndefined()
    const response = await ask('/_status')
    expect(await response.json()).toMatchObject({ budget: { limit: 9_000, spent: 50 } })
    expect(proxy.status().budget).toMatchObject({ spent: 50, available: 8_950 })
  })

  const failing = () => Promise.reject(new Error('secret'))
  const operators = { 'without an operator': undefined, 'where asking fails': failing, 'for others': async () => false }
  describe.each(Object.entries(operators))('%s', (_, operator) => {
    test.each(['GET', 'HEAD', 'POST', 'DELETE'])('its path does not exist: %s', async (method) => {
      const { ask } = setupProxy({ ...limits, operator })
      const answerTo = async (path: string) => {
        const response = await ask(path, { method })
        return { status: response.status, headers: [...response.headers], text: await response.text() }
      }
      expect((await answerTo('/_status')).status).toBe(404)
      expect(await answerTo('/_status')).toEqual(await answerTo('/_nothing'))
    })
  })
})

describe('a refusal', () => {
  test('of a budget that is used up while the token list is needed says so, and until when', async () => {
    const { ask, clock } = setupProxy({
      allow: ['token.list', { operation: 'token.price', tokens: 'listed' }],
      budget: { credits: 500, windowMs: MINUTE },
    })
    await clock.advance(SECOND)
    const response = await ask(pricePath())
    expect(response.headers.get('retry-after')).toBe('59')
    expect(remainingOf(response)).toBe('500')
    expect(await errorOf(response)).toBe('429 budget_exceeded')
    // The list of streams is paid by the feed, which has too little, too.
    const stream = setupStream({ addresses: 'listed' }, {}, { budget: { creditsPerDay: 500 } })
    const { end } = await stream.listen(`?addresses=${TOKEN}`)
    await settle()
    expect(end()).toMatchObject({ status: 429, code: 'budget_exceeded', waitMs: expect.any(Number) })
  })

  test('of calls, because visitors have used up the budget, ends no live price: the feed pays for the list of its streams', async () => {
    const { ask, listen, clock, feed, fake } = setupStream(
      { addresses: 'listed' },
      { allow: ['token.price', 'token.list'], budget: { credits: 50, windowMs: DAY } },
      { budget: { creditsPerDay: 100_000 } },
    )
    await ask(pricePath())
    expect(await errorOf(ask(pricePath(1)))).toBe('429 budget_exceeded')
    const { response, prices } = await listen(`?addresses=${TOKEN}`)
    await clock.advance(SECOND)
    expect([response.status, prices.length]).toEqual([200, 1])
    expect(feed.status().spent).toBe(fake.charged() - 50)
    expect(fake.charged({ operation: 'token.list' })).toBe(600)
  })

  test('says what the visitor has left, whatever it is for', async () => {
    const { ask } = setupStream(
      { addresses: [TOKEN] },
      { perVisitor: { credits: 120, windowMs: DAY, requestsPerMinute: 12 } },
    )
    await ask(pricePath())
    const refusals = [
      await ask('/farms/52014'),
      await ask('/nothing'),
      await ask('/_status'),
      await ask(pricePath(1), { method: 'POST' }),
      await ask('/prices/52014?addresses='),
      await ask(batchPath(3)),
      await ask(`/stream?addresses=${TOKENS[1]}`),
      await ask('/stream'),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([403, 404, 404, 405, 400, 429, 403, 400])
    expect(refusals.map(remainingOf)).toEqual(refusals.map(() => '70'))
    for (let count = 0; count < 3; count++) await ask(pricePath())
    const tooFast = await ask(pricePath())
    expect([tooFast.status, remainingOf(tooFast)]).toEqual([429, '70'])
    expect(tooFast.headers.has('retry-after')).toBe(true)
  })

  test('of the budget of the client says what is left of it, where it is the smallest figure', async () => {
    const window = { credits: 55, windowMs: DAY }
    const left = async (proxyOptions: Parameters<typeof setupProxy>[0]) => {
      const { ask } = setupProxy({ budget: false, ...proxyOptions }, {}, { budget: window })
      await ask(pricePath())
      const refused = await ask(pricePath(1))
      return [refused.status, remainingOf(refused)]
    }
    expect(await left({})).toEqual([429, '5'])
    expect(await left({ perVisitor: { credits: 1_000, windowMs: DAY } })).toEqual([429, '5'])
    expect(await left({ perVisitor: { credits: 52, windowMs: DAY } })).toEqual([429, '2'])
  })

  test('has no figure where nobody knows one', async () => {
    const { ask, proxy } = setupProxy({ budget: false })
    expect(remainingOf(await ask('/nothing'))).toBeNull()
    await proxy.close()
    expect(remainingOf(await ask(pricePath()))).toBeNull()
  })

  test('of a closed proxy, or of one whose client is closed, says what is left and when to come back', async () => {
    const perVisitor = { credits: 120, windowMs: DAY }
    const closed = setupProxy({ perVisitor })
    const clientClosed = setupProxy({ perVisitor })
    for (const { ask } of [closed, clientClosed]) await ask(pricePath())
    await closed.proxy.close()
    await clientClosed.client.close()
    for (const { ask } of [closed, clientClosed]) {
      const refused = await ask(pricePath(1))
      expect([remainingOf(refused), refused.headers.get('retry-after')]).toEqual(['70', '5'])
      expect(await errorOf(refused)).toBe('503 proxy_closed')
    }
  })

  test('of a call that never fits says that it does not, and one that fits later says when', async () => {
    const of = async (response: Promise<Response>) => {
      const { error } = (await (await response).json()) as { error: { code: string; message: string } }
      return `${error.code}: ${error.message}`
    }
    const window = { credits: 80, windowMs: DAY }
    const allow = ['farm.list', 'token.price'] as const
    const never = (who: string) => `The call may cost 3000 credits, and ${who} 80 at most: it never fits. Ask for less.`
    const own = setupProxy({ allow, perVisitor: window })
    expect(await of(own.ask('/farms/52014'))).toBe(`visitor_budget_exceeded: ${never('a visitor has')}`)
    const all = setupProxy({ allow, budget: window })
    expect(await of(all.ask('/farms/52014'))).toBe(`budget_exceeded: ${never('all visitors together have')}`)
    await all.ask(pricePath())
    const later = 'budget_exceeded: The proxy has used up its credits. Try again later.'
    expect(await of(all.ask(pricePath(1)))).toBe(later)
  })
})

test('an origin with a slash at the end is named, with the one that is meant', () => {
  const open = () => setupProxy({ cors: { origins: ['https://a.example/'] } })
  expect(open).toThrow(
    'https://a.example/. It must be an origin, without a slash or a path at the end: https://a.example.',
  )
})
