import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Client, createBudget, InvalidRequestError } from 'etn-market'
import { createPriceFeed, type FeedOptions } from 'etn-market/feed'
import { type AllowedOperation, createProxy, type ProxyOptions } from 'etn-market/proxy'
import { describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/concurrency/clock.ts'
import { MAX_VISITORS, Visitors } from '../../src/proxy/visitors.ts'
import { createVirtualClock } from '../support/clock.ts'
import { useFakeTimers } from '../support/fake-timers.ts'
import { watch } from '../support/setup.ts'
import { errorOf, pricePath, setupProxy, TOKENS } from './setup.ts'

describe('who a visitor is', () => {
  const cases: [string, NonNullable<ProxyOptions['visitor']>][] = [
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['returns nothing', () => undefined],
    ['returns null', async () => null],
    ['returns an empty text', () => ''],
    ['returns a text of 257 characters', () => 'x'.repeat(257)],
  ]
  test.each(cases)('is not known when the function %s: nothing is spent', async (_, visitor) => {
    const { ask, fake } = setupProxy({ visitor })
    const response = await ask(pricePath())
    expect(await response.clone().text()).not.toContain('secret')
    expect(await errorOf(response)).toBe('403 no_visitor')
    fake.expectRequests(0)
  })

  test('may take time to find out', async () => {
    const { ask, clock } = setupProxy({
      visitor: async () => {
        await clock.sleep(100)
        return 'ada'
      },
    })
    const asked = watch(ask(pricePath()))
    await clock.advance(100)
    expect(asked.value?.status).toBe(200)
  })

  test('is not waited for when the proxy closes', async () => {
    const { ask, proxy, fake } = setupProxy({ visitor: () => new Promise(() => {}) })
    const asked = ask(pricePath())
    await proxy.close()
    expect(await errorOf(asked)).toBe('503 proxy_closed')
    fake.expectRequests(0)
  })

  test('is the same for all without a function', async () => {
    const { ask } = setupProxy({ visitor: undefined, perVisitor: { credits: 50, windowMs: 1_000 } })
    await ask(pricePath(0))
    expect(await errorOf(ask(pricePath(1)))).toBe('429 visitor_budget_exceeded')
  })
})

test('a visitor whose own lost answer ends a shared call leaves the others with theirs', async () => {
  const { ask, clock, fake } = setupProxy({ perVisitor: { credits: 50, windowMs: 60_000 } })
  fake.fault({ reset: 'after', delayMs: 100 })
  const poor = watch(ask(pricePath(), { visitor: 'poor' }))
  await clock.advance(10)
  const rich = watch(ask(pricePath(), { visitor: 'rich' }))
  await clock.advance(30_000)
  // The retry needs credits that the first visitor does not have any more; the second one buys again.
  expect(await errorOf(poor.value as Response)).toBe('429 visitor_budget_exceeded')
  expect(rich.value?.headers.get('x-credits-cost')).toBe('50')
  fake.expectCredits(100)
})

test('a crowd that shares a call is refused at once where the budget of all has no credits for its retry', async () => {
  const budget = createBudget({ credits: 60, windowMs: 60_000 }, createVirtualClock())
  const reserve = vi.spyOn(budget, 'reserve')
  const { ask, fake, clock } = setupProxy({ perVisitor: { credits: 500, windowMs: 60_000 }, budget })
  fake.fault({ reset: 'after', delayMs: 100 })
  const crowd = Array.from({ length: 100 }, (_, visitor) => watch(ask(pricePath(), { visitor: `${visitor}` })))
  await clock.advance(30_000)
  const answers = await Promise.all(crowd.map(({ value }) => errorOf(value as Response)))
  expect(new Set(answers)).toEqual(new Set(['429 budget_exceeded']))
  fake.expectCredits(50)
  // Of the first visitor: one for the call and one for its retry.
  expect(reserve).toHaveBeenCalledTimes(2)
})

test('retries and lost answers count against the visitor', async () => {
  const { ask, clock, fake } = setupProxy({ perVisitor: { credits: 150, windowMs: 60_000 } })
  fake.script('token.price', [{ reset: 'after' }, { truncate: 3 }, 'ok'])
  const asked = watch(ask(pricePath()))
  await clock.advance(30_000)
  expect(asked.value?.headers.get('x-credits-cost')).toBe('100')
  expect(asked.value?.headers.get('x-credits-remaining')).toBe('0')
  fake.expectCredits(150)
  expect(await errorOf(ask(pricePath(1)))).toBe('429 visitor_budget_exceeded')
})

test('a visitor is never charged more than was reserved', async () => {
  const { ask, fake, client } = setupProxy({ perVisitor: { credits: 100, windowMs: 60_000 } })
  fake.fault({ creditHeaders: { cost: 9_000 } })
  const { headers } = await ask(pricePath())
  expect([headers.get('x-credits-cost'), headers.get('x-credits-remaining')]).toEqual(['50', '50'])
  expect(client.budget.spent).toBe(9_000)
})

describe('visitors are remembered', () => {
  const windowMs = 60_000
  const idsOf = (visitors: Visitors) => visitors.top(5).map(({ visitor }) => visitor)
  const spend = (visitors: Visitors, id: string) => {
    visitors.begin(id).reserve(10).settle(10)
    visitors.end(id)
  }

  test('up to a maximum, which no visitor with spent credits has to give way to', async () => {
    const clock = createVirtualClock()
    const visitors = new Visitors({ credits: 10, windowMs }, clock)
    spend(visitors, 'first')
    clock.jump(1_000)
    for (let index = 1; index < MAX_VISITORS; index++) spend(visitors, `visitor ${index}`)
    const refused = watch(Promise.resolve().then(() => visitors.begin('late')))
    await Promise.resolve()
    await Promise.resolve()
    expect(refused.error).toMatchObject({ details: { status: 429, retryAfterMs: windowMs - 1_000 } })
    expect(() => visitors.begin('first').reserve(1)).toThrow('You have used up your credits')
    visitors.end('first')
    clock.jump(windowMs - 1_000)
    spend(visitors, 'late')
    expect(() => visitors.begin('first')).toThrow('Too many visitors')
    expect(() => visitors.begin('visitor 5').reserve(1)).toThrow('You have used up your credits')
    visitors.end('visitor 5')
    clock.jump(1_000)
    spend(visitors, 'visitor 5')
  })

  test('only while they have spent something or buy something', () => {
    const clock = createVirtualClock()
    const visitors = new Visitors({ credits: 10, windowMs }, clock)
    visitors.begin('ada')
    visitors.begin('ada')
    visitors.end('ada')
    clock.jump(windowMs)
    expect([visitors.size, visitors.available('ada')]).toEqual([1, 10])
    visitors.end('ada')
    expect(visitors.size).toBe(0)
  })

  test('until their windows have ended, all at the next request', () => {
    const clock = createVirtualClock()
    const visitors = new Visitors({ credits: 10, windowMs }, clock)
    for (let index = 0; index < 1_000; index++) spend(visitors, `visitor ${index}`)
    expect(visitors.size).toBe(1_000)
    clock.jump(windowMs)
    spend(visitors, 'late')
    expect(idsOf(visitors)).toEqual(['late'])
  })

  test('at most a minute longer, also where nobody comes any more, and no timer is left', () => {
    const timers = useFakeTimers()
    const visitors = new Visitors({ credits: 10, windowMs }, systemClock)
    spend(visitors, 'first')
    vi.advanceTimersByTime(30_000)
    spend(visitors, 'second')
    vi.advanceTimersByTime(windowMs - 1)
    expect(idsOf(visitors)).toEqual(['second'])
    vi.advanceTimersByTime(60_000)
    expect(idsOf(visitors)).toEqual([])
    expect(timers.pending()).toBe(0)
    spend(visitors, 'third')
    visitors.close()
    expect(timers.pending()).toBe(0)
  })

  test('a reservation of a window that has ended counts in the one in which it is sent', () => {
    const clock = createVirtualClock()
    const visitors = new Visitors({ credits: 10, windowMs }, clock)
    const reservation = visitors.begin('ada').reserve(8)
    clock.jump(windowMs)
    reservation.confirm()
    expect(visitors.available('ada')).toBe(2)
    reservation.settle(7)
    visitors.end('ada')
    expect(visitors.available('ada')).toBe(3)
  })

  test.each([36, 256])('in at most 400 bytes each, with ids of %i characters', (length) => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const visitors = new Visitors({ credits: 10, windowMs }, createVirtualClock())
    const count = 20_000
    collect()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < count; index++) {
      // Cut out of a longer text, as a cookie is out of its header.
      const header = `${'x'.repeat(2_000)}${index.toString().padStart(length, '-')}`
      spend(visitors, header.slice(-length))
    }
    collect()
    const bytes = (process.memoryUsage().heapUsed - before) / count
    expect(visitors.size).toBe(count)
    expect(bytes).toBeLessThanOrEqual(400)
  })
})

describe('createProxy throws for', () => {
  const feed = (own: Client, options?: FeedOptions) => createPriceFeed(own, options)
  const operation = (entry: object) => ({ allow: [entry] })
  const perVisitor = (limits: object) => ({ perVisitor: { credits: 5, windowMs: 5, ...limits } })
  test.each<[string, object | ((own: Client) => object)]>([
    ['a client of somebody else', { client: {} }],
    ['an unknown option', { rateLimit: 5 }],
    ['no allowed operations', { allow: undefined }],
    ['no budget', { budget: undefined }],
    ['a budget that is no object', { budget: true }],
    ['a feed without a function that knows visitors', (own) => ({ feed: feed(own, { budget: false }) })],
    ['a feed without a budget, and without `false` in its place', (own) => ({ feed: feed(own), visitor: () => 'a' })],
    ['a feed of somebody else', { visitor: () => 'a', feed: {} }],
    ['a stream without a feed', { stream: {} }],
    ['a visitor and a cookie', { visitor: () => 'a', visitorCookie: true }],
    ['a short secret', { visitorCookie: { secret: 'short' } }],
    ['a cookie with a space', { visitorCookie: { name: 'a b' } }],
    ['requests per minute of half a request', perVisitor({ requestsPerMinute: 0.5 })],
    ['a visitor budget without a window', perVisitor({ windowMs: undefined })],
    ['a visitor budget of half a credit', perVisitor({ credits: 0.5 })],
    ['an operator that is no function', { operator: true }],
    ['an unknown operation', { allow: ['token.prices'] }],
    ['an operation twice', { allow: ['nft.stats', { operation: 'nft.stats' }] }],
    ['tokens of an operation without one', operation({ operation: 'balances.get', tokens: 'listed' })],
    ['tokens that are no addresses', operation({ operation: 'token.price', tokens: ['BOLT'] })],
    ['an unknown field of a rule', operation({ operation: 'token.list', max: 5 })],
    ['a limit above the maximum', operation({ operation: 'token.list', limit: 101 })],
    ['a limit of an operation without one', operation({ operation: 'token.get', limit: 1 })],
    ['more addresses than a request takes', operation({ operation: 'prices.batch', addresses: 51 })],
    ['values of an unknown parameter', operation({ operation: 'token.candles', values: { size: [1] } })],
    ['unknown values', operation({ operation: 'token.candles', values: { bucket: ['2h'] } })],
    ['a negative cache time', operation({ operation: 'token.get', cacheMs: -1 })],
    ['a base path with a query', { basePath: '/api?x' }],
    ['a base path that is relative', { basePath: 'api' }],
    ['an origin with a path', { cors: { origins: ['https://a.example/x'] } }],
    ['any origin', { cors: { origins: ['*'] } }],
    ['cdn without a time', { cdn: {} }],
  ])('%s', (_, wrong) => {
    const { client } = setupProxy()
    const options = { client, budget: false, allow: [], ...(typeof wrong === 'function' ? wrong(client) : wrong) }
    expect(() => createProxy(options as ProxyOptions)).toThrow(InvalidRequestError)
  })

  test('nothing that it accepts', async () => {
    const entry: AllowedOperation = { operation: 'token.history', values: { duration: ['DAY', 'WEEK'] }, cacheMs: 0 }
    const clock = createVirtualClock()
    const { ask } = setupProxy({
      basePath: '/api/market/',
      allow: [entry],
      budget: createBudget({ credits: 500 }, clock),
    })
    const path = `/tokens/52014/${TOKENS[0]}/history`
    expect((await ask(`${path}?duration=week`)).status).not.toBe(400)
    expect((await ask(path)).status).not.toBe(400)
    expect((await ask(`${path}?duration=year`)).status).toBe(400)
  })
})
