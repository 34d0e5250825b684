import { describe, expect, test } from 'vitest'
import { AgeClock } from '../../src/concurrency/clock.ts'
import { AnswerCache } from '../../src/proxy/answer-cache.ts'
import { createVirtualClock } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
import { batchPath, costOf, errorOf, pricePath, remainingOf, setupProxy, TOKENS } from './setup.ts'
import { setupStream } from './stream-setup.ts'

const [TOKEN = ''] = TOKENS

describe('an answer', () => {
  test('is kept for its time, for every visitor, in every spelling of the call', async () => {
    const { ask, clock, fake } = setupProxy({ allow: ['prices.batch'] })
    const [one = '', other = ''] = TOKENS
    expect(costOf(await ask(batchPath(2), { visitor: 'ada' }))).toBe('120')
    const again = `/prices/52014?addresses=${other.toLowerCase()},${one},${one}`
    expect(costOf(await ask(again, { visitor: 'bob' }))).toBe('0')
    await clock.advance(14_999)
    expect(costOf(await ask(batchPath(2)))).toBe('0')
    await clock.advance(1)
    expect(costOf(await ask(batchPath(2)))).toBe('120')
    fake.expectCredits(240)
  })

  // All of them: `test/examples/guides.test.ts`.
  test.each([
    ['token.price', pricePath(), 15_000],
    ['token.list', '/tokens/52014', 600_000],
  ] as const)('of %s is kept by default', async (operation, path, ms) => {
    const { ask, clock, fake } = setupProxy({ allow: [operation] })
    await ask(path)
    await clock.advance(ms - 1)
    await ask(path)
    fake.expectRequests(1)
    await clock.advance(1)
    await ask(path)
    fake.expectRequests(2)
  })

  test('of account.me is not kept by default, and any other for as long as its rule says', async () => {
    const allow = ['account.me', { operation: 'token.price', cacheMs: 0 }] as const
    const { ask, fake } = setupProxy({ allow })
    for (let count = 0; count < 2; count++) {
      await ask('/me')
      await ask(pricePath())
    }
    fake.expectRequests({ 'account.me': 2, 'token.price': 2 })
  })

  test('that fails is not kept', async () => {
    const { ask, fake } = setupProxy({}, {}, { retry: false })
    fake.fault({ status: 404 })
    expect((await ask(pricePath())).status).toBe(404)
    expect((await ask(pricePath())).status).toBe(200)
  })

  test('is bought once for visitors who ask at the same time; the first one pays', async () => {
    const { ask, clock, fake } = setupProxy({ perVisitor: { credits: 50, windowMs: 60_000 } }, { latencyMs: 100 })
    const asked = ['ada', 'bob', 'eve'].map((visitor) => watch(ask(pricePath(), { visitor })))
    await clock.advance(100)
    expect(asked.map(({ value }) => costOf(value as Response))).toEqual(['50', '0', '0'])
    expect(asked.map(({ value }) => remainingOf(value as Response))).toEqual(['0', '50', '50'])
    fake.expectCredits(50)
  })

  test('that nobody can pay for any longer is still served from the cache', async () => {
    const { ask } = setupProxy({ perVisitor: { credits: 50, windowMs: 60_000 } })
    await ask(pricePath(), { visitor: 'ada' })
    expect(await errorOf(ask(pricePath(1), { visitor: 'ada' }))).toBe('429 visitor_budget_exceeded')
    const cached = await ask(pricePath(), { visitor: 'ada' })
    expect([cached.status, costOf(cached), remainingOf(cached)]).toEqual([200, '0', '0'])
  })
})

describe('ETag', () => {
  test('revalidates a cached answer for 0 credits', async () => {
    const { ask, fake, clock } = setupProxy()
    const first = await ask(pricePath())
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const etag = first.headers.get('etag') ?? ''
    for (const known of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
      const second = await ask(pricePath(), { headers: { 'if-none-match': known } })
      expect([second.status, costOf(second), await second.text()]).toEqual([304, '0', ''])
      expect(second.headers.get('etag')).toBe(etag)
    }
    expect((await ask(pricePath(), { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
    fake.expectCredits(50)
    await clock.advance(15_000)
    const bought = await ask(pricePath(), { headers: { 'if-none-match': etag } })
    expect([bought.status, costOf(bought)]).toEqual([200, '50'])
  })
})

describe('with cdn, shared caches', () => {
  test('may keep an answer for the time that is left, and state no cost of a visitor', async () => {
    const { ask, clock } = setupProxy({
      allow: [{ operation: 'token.price', cacheMs: 10_000 }],
      cdn: { maxAgeMs: 8_000 },
      perVisitor: { credits: 500, windowMs: 60_000 },
    })
    const headersAfter = async (ms: number) => {
      await clock.advance(ms)
      const { headers } = await ask(pricePath())
      return ['cache-control', 'age', 'x-credits-cost', 'x-credits-remaining'].map((name) => headers.get(name))
    }
    expect(await headersAfter(0)).toEqual(['public, max-age=8', null, '0', null])
    // They may keep it for 6 s from now on: its age counts.
    expect(await headersAfter(3_500)).toEqual(['public, max-age=9', '3', '0', null])
    expect(await headersAfter(6_000)).toEqual(['private, no-cache', '9', '0', '450'])
    expect(await headersAfter(500)).toEqual(['public, max-age=8', null, '0', null])
  })

  test('may not keep what the proxy does not keep, or an error', async () => {
    const { ask, fake } = setupProxy({ allow: [{ operation: 'balances.get', cacheMs: 0 }], cdn: { maxAgeMs: 60_000 } })
    const { headers } = await ask(`/balances/52014/${TOKEN}`)
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(Number(costOf(await ask(`/balances/52014/${TOKEN}`)))).toBeGreaterThan(0)
    fake.fault({ status: 404 })
    const failed = await ask(`/balances/52014/${TOKEN}`)
    expect(failed.headers.get('cache-control')).toBe('no-store')
    expect(costOf(failed)).toBeNull()
  })
})

test('no answer can be stored by a service worker, whose copies have no age, unless shared caches may keep it', async () => {
  const varyOf = async (response: Promise<Response>) => (await response).headers.get('vary')
  const { ask } = setupProxy()
  const etag = (await ask(pricePath())).headers.get('etag') ?? ''
  expect(await varyOf(ask(pricePath()))).toBe('Origin, *')
  expect(await varyOf(ask(pricePath(), { headers: { 'if-none-match': etag } }))).toBe('Origin, *')
  expect(await varyOf(ask('/nowhere'))).toBe('Origin, *')
  expect(await varyOf(setupStream().ask(`/stream?addresses=${TOKEN}`))).toBe('Origin, *')
  const cdn = setupProxy({ cdn: { maxAgeMs: 8_000 } })
  expect(await varyOf(cdn.ask(pricePath()))).toBe('Origin')
  expect(await varyOf(cdn.ask('/nowhere'))).toBe('Origin, *')
})

test('HEAD is answered from the cache and never buys', async () => {
  const { ask, fake } = setupProxy()
  const refused = await ask(pricePath(), { method: 'HEAD' })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, OPTIONS'])
  fake.expectRequests(0)
  const got = await ask(pricePath())
  const head = await ask(pricePath(), { method: 'HEAD' })
  expect([head.status, await head.text(), costOf(head)]).toEqual([200, '', '0'])
  expect(head.headers.get('etag')).toBe(got.headers.get('etag'))
})

test.each([
  [`/tokens/52014/${TOKEN}/candles`, 'bucket=1h', 'currency=USD', 'token.candles'],
  [`/tokens/52014/${TOKEN}/history`, 'duration=day', 'currency=USD', 'token.history'],
  ['/pools/52014', 'version=2', 'version=2', 'pool.list'],
] as const)(
  'a default that is written out shares the answer of the call without it: %s',
  async (path, one, other, operation) => {
    const { ask, fake } = setupProxy({ allow: [operation] })
    const plain = await ask(path)
    const written = await Promise.all([ask(`${path}?${one}`), ask(`${path}?${other}`)])
    expect(written.map(costOf)).toEqual(['0', '0'])
    expect(await written[0]?.text()).toBe(await plain.text())
    fake.expectRequests(1)
  },
)

test('where answers need too much memory, those give way that were asked for longest ago', () => {
  const cache = new AnswerCache(new AgeClock(createVirtualClock(0)))
  const answer = { body: new Uint8Array(999_000), etag: '', at: 0, freshUntil: 1 }
  cache.set('list', answer)
  cache.set('candles', answer)
  for (let index = 0; index < 1_050; index++) cache.set(`small ${index}`, { ...answer, body: new Uint8Array(2) })
  for (let index = 0; index < 100; index++) {
    cache.set(`${index}`, answer)
    expect(cache.get('list')).toBe(answer)
  }
  expect(cache.get('candles')).toBeUndefined()
  expect(cache.get('small 1049')).toBeUndefined()
  const kept = Array.from({ length: 100 }, (_, index) => cache.get(`${index}`) !== undefined)
  expect(kept.filter(Boolean)).toHaveLength(15)
  expect(kept.slice(85)).not.toContain(false)
})
