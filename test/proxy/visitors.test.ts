import { type Client, createBudget, InvalidRequestError } from 'etn-market'
import { createPriceFeed, type FeedOptions } from 'etn-market/feed'
import { type AllowedOperation, createProxy, type ProxyOptions } from 'etn-market/proxy'
import { describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/concurrency/clock.ts'
import { MAX_VISITORS, Visitors } from '../../src/proxy/visitors.ts'
import { createVirtualClock } from '../support/clock.ts'
import { useFakeTimers } from '../support/fake-timers.ts'
import { collectGarbage } from '../support/garbage.ts'
import { watch } from '../support/setup.ts'
import { costOf, pricePath, remainingOf, setupProxy, TOKENS } from './setup.ts'

test('a visitor is never charged more than was reserved', async () => {
  const { ask, fake, client } = setupProxy({ perVisitor: { credits: 100, windowMs: 60_000 } })
  fake.fault({ creditHeaders: { cost: 9_000 } })
  const response = await ask(pricePath())
  expect([costOf(response), remainingOf(response)]).toEqual(['50', '50'])
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
    expect(refused.error).toMatchObject({ status: 429, retryAfterMs: expect.closeTo(windowMs - 1_000, 1) })
    expect(() => visitors.begin('first').reserve(1)).toThrow('You have used up your credits')
    visitors.end('first')
    // It ends at a whole millisecond.
    clock.jump(windowMs - 999)
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
    const visitors = new Visitors({ credits: 10, windowMs }, createVirtualClock())
    // So many that what other tests leave does not count. Where one of them had a window of a month, V8 keeps its end in an object.
    const count = MAX_VISITORS
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < count; index++) {
      // Cut out of a longer text, as a cookie is out of its header.
      const header = `${'x'.repeat(2_000)}${index.toString().padStart(length, '-')}`
      spend(visitors, header.slice(-length))
    }
    collectGarbage()
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
