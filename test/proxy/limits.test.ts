import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RequestRate } from '../../src/proxy/visitors.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { batchPath, errorOf, pricePath, setupProxy, TOKENS } from './setup.ts'
import { setupStream } from './stream-setup.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 86_400_000
const [TOKEN = ''] = TOKENS
const FOREIGN = `0x${'0'.repeat(39)}1`

describe('requestsPerMinute', () => {
  const perVisitor = { credits: 100_000, windowMs: DAY, requestsPerMinute: 3 }

  test('limits a visitor, cached answers and streams included, and nobody else', async () => {
    const { ask, clock } = setupProxy({ perVisitor })
    for (let request = 0; request < 3; request++) expect((await ask(pricePath(), { visitor: 'ada' })).status).toBe(200)
    const refused = await ask(pricePath(), { visitor: 'ada' })
    expect(refused.headers.get('retry-after')).toBe('80')
    expect(await errorOf(refused)).toBe('429 too_many_requests')
    expect((await ask(pricePath(), { visitor: 'bob' })).status).toBe(200)
    await clock.advance(80 * SECOND)
    expect((await ask(pricePath(), { visitor: 'ada' })).status).toBe(200)
  })

  test('counts streams', async () => {
    const { listen } = setupStream({ perVisitor: { streams: 9 } }, { perVisitor })
    const statuses: number[] = []
    for (let stream = 0; stream < 4; stream++) {
      const { response, stop } = await listen(`?addresses=${TOKEN}`)
      statuses.push(response.status)
      await stop()
    }
    expect(statuses).toEqual([200, 200, 200, 429])
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
          accepted.push(clock.now())
        } catch (error) {
          const { retryAfterMs } = (error as { details: { retryAfterMs: number } }).details
          expect(retryAfterMs).toBeGreaterThan(0)
          clock.jump(Math.ceil(retryAfterMs / SECOND) * SECOND)
          rate.count('ada')
          accepted.push(clock.now())
        }
      }
      for (const [index, at] of accepted.entries())
        expect(accepted.slice(index).filter((other) => other < at + MINUTE).length).toBeLessThanOrEqual(8)
    }),
    { cases: 200 },
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
  const limits = { perVisitor: { credits: 1_000, windowMs: DAY }, budget: { credits: 9_000, windowMs: DAY } }

  test('names visitors, streams, the ten who spend most, the feed and what is left', async () => {
    const { ask, listen, proxy, clock } = setupStream({}, limits)
    for (let visitor = 0; visitor < 12; visitor++)
      for (let path = 0; path <= visitor % 3; path++)
        await ask(pricePath(10 + visitor * 3 + path), { visitor: `${visitor}` })
    await listen(`?addresses=${TOKENS.slice(0, 3)}`, { visitor: 'ada' })
    await clock.advance(SECOND)
    const status = proxy.status()
    expect(status).toMatchObject({ visitors: 12, streams: 1, feed: { state: 'running' } })
    expect(status.stream).toEqual({
      addresses: 3,
      everyMs: MINUTE,
      creditsPerDay: { staying: 130 * 1_440, rotating: 150 * 1_440 },
      stretch: { staying: 1, rotating: 1 },
    })
    expect(status.budget).toEqual({
      limit: 9_000,
      spent: 1_200,
      available: 7_800,
      resetsAt: clock.now() + DAY - SECOND,
    })
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

  test('is answered to the operator only: for everybody else the path does not exist', async () => {
    const operator = (request: Request) => request.headers.get('x-operator') === 'secret'
    const { ask } = setupProxy({ ...limits, operator })
    await ask(pricePath(), { visitor: 'ada' })
    const response = await ask('/_status', { headers: { 'x-operator': 'secret' } })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ visitors: 1, budget: { spent: 50 } })
    expect(await errorOf(ask('/_status'))).toBe('404 not_found')
    const failing = () => Promise.reject(new Error('secret'))
    for (const other of [undefined, failing, async () => false]) {
      const { ask } = setupProxy({ ...limits, operator: other })
      expect(await errorOf(ask('/_status', { headers: { 'x-operator': 'secret' } }))).toBe('404 not_found')
    }
  })
})

test('an origin with a slash at the end is named, with the one that is meant', () => {
  const open = () => setupProxy({ cors: { origins: ['https://a.example/'] } })
  expect(open).toThrow(
    'https://a.example/. It must be an origin, without a slash or a path at the end: https://a.example.',
  )
})
