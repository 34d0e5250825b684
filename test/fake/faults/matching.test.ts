import { describe, expect, it } from 'vitest'
import type { FakeServiceOptions, FaultOptions } from '../../../src/fake/index.ts'
import { ask, BOLT, makeFake } from '../setup.ts'

function play(options?: FakeServiceOptions) {
  const { fake, request } = ask(options)
  const get = async (path: string, key?: string) => (await request(path, key)).status
  const times = async (n: number, path = '/prices/etn') => {
    const statuses = []
    for (let i = 0; i < n; i++) statuses.push(await get(path))
    return statuses
  }
  return { fake, get, times }
}

describe('a fault hits', () => {
  it.each<[string, FaultOptions[], number[]]>([
    ['one request by default', [{ status: 500 }], [500, 200, 200]],
    [
      'a number of requests, or all',
      [
        { status: 500, times: 2 },
        { status: 502, times: Number.POSITIVE_INFINITY },
      ],
      [500, 500, 502, 502, 502],
    ],
    [
      'in the order of adding, one fault per request',
      [{ status: 503 }, { status: 429 }, { status: 500 }],
      [503, 429, 500, 200],
    ],
    [
      'with a probability and a number of times; 0 is never, 1 is always',
      [
        { probability: 1, times: 2, status: 500 },
        { probability: 0, status: 502 },
      ],
      [500, 500, 200, 200],
    ],
    ['the nth request', [{ nth: 3, status: 502 }], [200, 200, 502, 200]],
  ])('%s', async (_, faults, statuses) => {
    const { fake, times } = play()
    const [first] = faults.map((fault) => fake.fault(fault))
    expect(await times(statuses.length)).toEqual(statuses)
    expect(first?.hits).toBe(statuses.filter((status) => status === faults[0]?.status).length)
  })

  it('requests of one operation or of several', async () => {
    const { fake, get } = play()
    fake.fault({ operation: 'token.price', status: 500 })
    fake.fault({ operation: ['nft.stats', 'farm.list'], status: 502, times: 2 })
    expect(await get('/prices/etn')).toBe(200)
    expect(await get(`/prices/52014/${BOLT}`)).toBe(500)
    expect([await get('/nft/stats'), await get('/farms/52014'), await get('/nft/stats')]).toEqual([502, 502, 200])
  })

  it('requests of a key', async () => {
    const { fake, get } = play({ keys: { a: 100, b: 100 } })
    fake.fault({ key: 'b', status: 500 })
    expect([await get('/prices/etn', 'a'), await get('/prices/etn', 'b')]).toEqual([200, 500])
  })

  it('requests that a function selects', async () => {
    const { fake, get } = play()
    fake.fault({
      when: ({ query, operation }) => operation === 'token.list' && query.limit === '3',
      status: 500,
    })
    expect([
      await get('/tokens/52014?limit=2'),
      await get('/tokens/52014?limit=3'),
      await get('/tokens/52014?limit=3'),
    ]).toEqual([200, 500, 200])
    fake.fault({ when: ({ headers }) => headers.has('x-batch'), status: 502 })
    const marked = await fake.fetch(`${fake.baseUrl}/prices/etn`, { headers: { 'x-batch': '1' } })
    expect(marked.status).toBe(502)
  })

  it('several of the matching requests by their numbers', async () => {
    const { fake, get, times } = play()
    fake.fault({ operation: 'etn.price', nth: [2, 4], status: 500 })
    await get('/nft/stats')
    expect(await times(5)).toEqual([200, 500, 200, 500, 200])
  })

  it('a random selection, the same for the same seed', async () => {
    const draw = async (seed: number) => {
      const { fake, times } = play({ seed })
      fake.fault({ probability: 0.3, status: 500 })
      return times(200)
    }
    const first = await draw(1)
    expect(await draw(1)).toEqual(first)
    expect(await draw(2)).not.toEqual(first)
    const hits = first.filter((status) => status === 500).length
    expect(hits).toBeGreaterThan(35)
    expect(hits).toBeLessThan(85)
  })

  it('the same random selection whatever other calls are made', async () => {
    const draw = async (noise: boolean) => {
      const { fake, get } = play()
      fake.fault({ operation: 'etn.price', probability: 0.5, status: 500 })
      const statuses = []
      for (let i = 0; i < 40; i++) {
        if (noise) await get('/nft/stats')
        statuses.push(await get('/prices/etn'))
      }
      return statuses
    }
    expect(await draw(true)).toEqual(await draw(false))
  })

  it('nothing after it was removed', async () => {
    const { fake, times } = play()
    const fault = fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
    expect(await times(1)).toEqual([500])
    fault.remove()
    expect(await times(2)).toEqual([200, 200])
    expect(fake.faults()).toEqual([])
  })

  it('nothing without a route', async () => {
    const { fake, get } = play()
    fake.fault({ status: 500 })
    expect(await get('/nowhere')).toBe(404)
    expect(() => fake.expectNoUnusedFaults()).toThrow()
  })
})

describe('expectNoUnusedFaults', () => {
  it('lists the faults with hits left', async () => {
    const { fake, times } = play()
    fake.fault({ status: 500, times: 3, operation: 'etn.price' })
    await times(2)
    expect(() => fake.expectNoUnusedFaults()).toThrow(
      '1 fault was never used up:\n  status 500 on etn.price: 2 of 3 hits',
    )
    await times(1)
    fake.expectNoUnusedFaults()
  })

  it('requires one hit of a fault with a probability or without an end, and none of a removed one', async () => {
    const { fake, times } = play()
    fake.fault({ status: 500, times: Number.POSITIVE_INFINITY, operation: 'etn.price' })
    fake.fault({ status: 500, probability: 0.5, operation: 'nft.stats' })
    fake.fault({ status: 500, operation: 'farm.list' }).remove()
    expect(() => fake.expectNoUnusedFaults()).toThrow('2 faults were never used up')
    await times(1)
    await times(20, '/nft/stats')
    fake.expectNoUnusedFaults()
  })
})

describe('a mistaken fault throws at once and lists the allowed values', () => {
  it.each<[options: unknown, message: RegExp]>([
    [{ operation: 'token.prices', status: 500 }, /operation is one of etn\.price, .*farm\.list.*, not "token\.prices"/],
    [{ operation: ['token.price', 'x'], status: 500 }, /not "x"/],
    [{ statusCode: 500 }, /knows no option "statusCode". It takes: operation, key, .*status/],
    [{ probability: 2, status: 500 }, /probability is a number from 0 to 1, not 2/],
    [{ probability: Number.NaN, status: 500 }, /probability is a number from 0 to 1, not NaN/],
    [{ times: 0, status: 500 }, /times is a whole number of 1 or more, or Infinity, not 0/],
    [{ times: 1.5, status: 500 }, /times is a whole number/],
    [{ nth: 0, status: 500 }, /nth is a whole number of 1 or more, or a list, not 0/],
    [{ when: true, status: 500 }, /when is a function/],
    [{ operation: 'etn.price' }, /A fault needs an effect: one or more of status, /],
    [{ charge: true }, /A fault needs an effect/],
    [{ status: 700 }, /status is a whole number from 200 to 599, not 700/],
    [{ status: 404.5 }, /status is a whole number/],
    [{ delayMs: -1 }, /delayMs is a number from 0 to 2147483647, not -1/],
    [{ delayMs: 1e12 }, /delayMs/],
    [{ reset: 'during' }, /reset is one of before, after, not "during"/],
    [{ never: false }, /never is true, not false/],
    [{ truncate: 1.5 }, /truncate is a number from 0 to 1, or a whole number of 1 or more, not 1.5/],
    [{ stall: -1 }, /stall/],
    [{ creditHeaders: 'wrong' }, /creditHeaders is one of missing, duplicate, or an object, not "wrong"/],
    [{ creditHeaders: { price: '1' } }, /knows no option "price". It takes: cost, remaining/],
    [{ status: 500, front: 'nginx' }, /status and front exclude each other/],
    [{ front: 'nginx', transform: () => ({}) }, /front and transform exclude each other: a front answers in a format/],
    [{ truncate: 1, stall: 1 }, /truncate and stall exclude each other/],
    [{ reset: 'after', status: 500 }, /status and reset exclude each other/],
    [{ never: true, delayMs: 5 }, /never has no end/],
    [{ never: true, retryAfter: '1' }, /never and retryAfter exclude each other: without an answer/],
    [{ code: 'x', delayMs: 1 }, /code goes with a status/],
    [{ status: 500, body: {}, code: 'x' }, /body replaces the whole envelope/],
    [{ reset: 'before', charge: true }, /reset says itself whether it charges/],
    [{ transform: {} }, /transform is a function/],
    [{ headers: { 'x y': '1' } }, /"x y" is not a header name/],
    [{ headers: { x: 'a\r\nb' } }, /headers\.x is a header value/],
    [{ headers: { x: 1 } }, /headers\.x is a text, or a list, not 1/],
    [{ headers: { x: [] } }, /headers\.x has at least 1 item/],
    [{ headers: { 'Content-Length': '5' } }, /Content-Length belongs to the transport/],
    [{ front: 'apache2' }, /front is one of nginx, .*varnish.*, not "apache2"/],
    [{ headers: ['x'] }, /headers is an object, not/],
    [{ status: 429, retryAfter: '1\n2' }, /retryAfter is .*a header value/],
    [{ status: 429, retryAfter: [] }, /retryAfter has at least 1 item/],
    [{ status: 429, retryAfter: -1 }, /retryAfter is a number of 0 or more, or a text/],
    [{ status: 429, retryAfter: { ms: 1 } }, /retryAfter.inMs is missing/],
    [{ creditHeaders: { cost: '\n' } }, /creditHeaders.cost is .*a header value/],
    [{ date: { skewMs: 1e300 } }, /date.skewMs is a number/],
    [{ date: null }, /date is a text, or a number from/],
    [{ operation: [], status: 500 }, /operation has at least 1 item/],
    [{ nth: [], status: 500 }, /nth has at least 1 item/],
    [{ status: 500, code: 5 }, /code is a text, not 5/],
    [{ status: 500, body: () => 1 }, /body is JSON/],
    [{ status: 500, body: cycle() }, /body is JSON/],
  ])('%j', (options, message) => {
    const fake = makeFake()
    expect(() => fake.fault(options as FaultOptions)).toThrow(TypeError)
    expect(() => fake.fault(options as FaultOptions)).toThrow(message)
    expect(fake.faults()).toEqual([])
  })
})

function cycle(): object {
  const one: Record<string, unknown> = {}
  one.self = one
  return one
}
