import { describe, expect, it } from 'vitest'
import { type FakeServiceOptions, fakeKey } from '../../src/fake/index.ts'
import { ask, makeFake, NOON } from './setup.ts'

describe('keys', () => {
  it('there is one with many credits by default', () => {
    const fake = makeFake()
    expect(fake.key).toBe(fakeKey)
    expect(fake.keys()).toEqual({ esk_test_fake: { credits: 1_000_000_000, tier: 'standard' } })
  })

  it('can be added, filled and emptied', async () => {
    const { fake, request } = ask({ keys: { a: 10 } })
    fake.addKeys({ b: { credits: 100, tier: 'gold' } })
    const price = (key: string) => request('/prices/etn', key)
    expect([(await price('a')).status, (await price('b')).status]).toEqual([402, 200])
    fake.setCredits('a', 25)
    expect((await price('a')).status).toBe(200)
    expect(fake.keys()).toEqual({ a: { credits: 0, tier: 'standard' }, b: { credits: 75, tier: 'gold' } })
    expect(fake.remaining()).toBe(0)
    for (const state of Object.values(fake.keys())) state.credits = 1_000
    expect(fake.remaining('b')).toBe(75)
  })

  it('concurrent calls never spend the same credits twice', async () => {
    const { fake, request } = ask({ keys: { k: 260 }, latencyMs: 3 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => request()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(fake.remaining()).toBe(10)
    fake.expectCredits(250)
  })
})

describe('baseUrl', () => {
  it('is the path below which the fake answers, with or without a version in it', async () => {
    const fake = makeFake({ baseUrl: 'http://localhost:9/market/api/' })
    expect(fake.baseUrl).toBe('http://localhost:9/market/api')
    const status = async (url: string) =>
      (await fake.fetch(url, { headers: { authorization: `Bearer ${fake.key}` } })).status
    expect(await status('http://localhost:9/market/api/prices/etn')).toBe(200)
    expect(await status('http://localhost:9/prices/etn')).toBe(404)
    const { url } = await fake.listen()
    expect(new URL(url).pathname).toBe('/market/api')
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
  })

  it('without baseUrl, every base is accepted', async () => {
    const fake = makeFake()
    for (const base of ['http://a.example/v1', 'https://b.example/x/v1/y/v1', 'http://c.example', fake.baseUrl]) {
      expect((await fake.fetch(`${base}/openapi.json`)).status).toBe(200)
    }
  })
})

describe('rateLimit', () => {
  const limited = (rateLimit: FakeServiceOptions['rateLimit'] & object) => {
    let now = NOON
    const { fake, request } = ask({ keys: { a: 9_999, b: 9_999 }, rateLimit, clock: { now: () => now } })
    const pass = (ms: number) => {
      now += ms
    }
    return { fake, get: (key = 'a') => request('/prices/etn', key), pass }
  }

  it('one call too many is 429 with the seconds that are left of the window, and not charged', async () => {
    const { fake, get, pass } = limited({ requests: 2, windowMs: 10_000 })
    await get()
    pass(4_500)
    await get()
    const refused = await get()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('6')
    expect((await refused.json()).error.code).toBe('rate_limited')
    expect((await get('b')).status).toBe(200)
    pass(5_500)
    expect((await get()).status).toBe(200)
    fake.expectCredits(4 * 25)
  })

  it('twenty refusals within a minute lock the key for a quarter of an hour', async () => {
    const { get, pass } = limited({ requests: 0 })
    for (let i = 0; i < 19; i++) expect((await get()).headers.get('retry-after')).toBe('60')
    expect((await get()).headers.get('retry-after')).toBe('900')
    pass(60_000)
    expect((await get()).headers.get('retry-after')).toBe('840')
  })

  it('refusals over a longer time do not lock', async () => {
    const { get, pass } = limited({ requests: 0, refusalsToLock: 3 })
    for (let i = 0; i < 10; i++) {
      expect((await get()).headers.get('retry-after')).toBe('60')
      pass(60_000)
    }
  })
})

describe('CORS', () => {
  const page = { origin: 'https://app.example', authorization: `Bearer ${fakeKey}` }

  it('pages may read answers and credit headers by default', async () => {
    const fake = makeFake()
    const { headers } = await fake.fetch(`${fake.baseUrl}/prices/etn`, { headers: page })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('X-Credits-Cost, X-Credits-Remaining')
  })

  it('a preflight is answered, and is not in the journal', async () => {
    const fake = makeFake()
    const asked = { origin: 'https://app.example', 'access-control-request-headers': 'authorization,x-more' }
    const response = await fake.fetch(`${fake.baseUrl}/prices/etn`, { method: 'OPTIONS', headers: asked })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toBe('GET')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,x-more')
    fake.expectRequests(0)
  })

  it("cors: 'hidden' keeps the credit headers from pages", async () => {
    const fake = makeFake({ cors: 'hidden' })
    const { headers } = await fake.fetch(`${fake.baseUrl}/prices/etn`, { headers: page })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).not.toContain('X-Credits')
    expect(headers.get('x-credits-cost')).toBe('25')
  })

  it('cors: false sends no CORS headers', async () => {
    const fake = makeFake({ cors: false })
    const { headers } = await fake.fetch(`${fake.baseUrl}/prices/etn`, { headers: page })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await fake.fetch(`${fake.baseUrl}/prices/etn`, { method: 'OPTIONS', headers: page })
    expect(preflight.status).toBe(405)
  })
})
