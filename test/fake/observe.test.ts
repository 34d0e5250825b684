import { describe, expect, it } from 'vitest'
import { ask, BOLT, NOBODY, NOON } from './setup.ts'

describe('the ledger', () => {
  it('lists every charge, with what it was for', async () => {
    const { fake, request: get } = ask({ keys: { a: 1_000, b: 1_000 } })
    await get('/nowhere', 'a')
    await get('/tokens/52014?limit=4', 'b')
    expect(fake.ledger()).toEqual([
      { key: 'b', operation: 'token.list', items: 4, credits: 120, delivered: true, at: NOON, request: 2 },
    ])
    expect(fake.remaining('b')).toBe(880)
  })

  it('returns copies', async () => {
    const { fake, request: get } = ask()
    await get('/prices/etn')
    for (const charge of fake.ledger()) charge.credits = 0
    for (const entry of fake.journal()) entry.status = 0
    expect(fake.charged()).toBe(25)
    expect(fake.journal()[0]?.status).toBe(200)
  })
})

describe('the journal', () => {
  it('lists every request with its outcome', async () => {
    const { fake, request: get } = ask()
    await get(`/tokens/52014/${BOLT}/candles?limit=2&bucket=1d`)
    await get(`/tokens/52014/${NOBODY}`)
    expect(fake.journal()).toEqual([
      {
        id: 1,
        at: NOON,
        method: 'GET',
        url: `${fake.baseUrl}/tokens/52014/${BOLT}/candles?limit=2&bucket=1d`,
        path: `/tokens/52014/${BOLT}/candles`,
        query: { limit: '2', bucket: '1d' },
        operation: 'token.candles',
        key: fake.key,
        inFlight: 1,
        heavyInFlight: 0,
        status: 200,
        code: null,
        fault: null,
        credits: 102,
        delivered: true,
        finished: true,
      },
      expect.objectContaining({ id: 2, operation: 'token.get', status: 404, code: 'not_found', credits: 0 }),
    ])
    expect(fake.journal({ operation: 'token.get' })).toHaveLength(1)
  })

  it('counts how many requests were in flight', async () => {
    const { fake, request: get } = ask({ latencyMs: 5 })
    await Promise.all([get('/prices/etn'), get('/farms/52014'), get('/nft/stats'), get('/farms/52014')])
    expect(fake.journal().map(({ inFlight, heavyInFlight }) => [inFlight, heavyInFlight])).toEqual([
      [1, 0],
      [2, 1],
      [3, 1],
      [4, 2],
    ])
    await get('/prices/etn')
    expect(fake.peakInFlight()).toBe(4)
    expect(fake.peakInFlight({ heavy: true })).toBe(2)
    expect(fake.journal().at(-1)).toMatchObject({ inFlight: 1, heavyInFlight: 0 })
  })

  it('names the fault', async () => {
    const { fake, request: get } = ask()
    fake.fault({ operation: 'etn.price', status: 503, retryAfter: '2', when: () => true })
    await get('/prices/etn')
    expect(fake.journal()[0]?.fault).toBe('status 503, retryAfter "2" on etn.price selected by a function')
  })

  it('logs one line per request to log only', async () => {
    const lines: string[] = []
    const { fake, request: get } = ask({ log: (line) => lines.push(line) })
    await get('/prices/etn')
    await get('/nowhere')
    fake.fault({ reset: 'after' })
    await get('/nft/stats').catch(() => {})
    expect(lines).toEqual([
      '#1 GET /prices/etn: 200, 25 credits',
      '#2 GET /nowhere: 404 not_found, 0 credits',
      '#3 GET /nft/stats: no answer, 25 credits [reset "after" on any operation]',
    ])
  })
})

describe('expectCredits', () => {
  it('throws with the requests, their query, credits, key and fault', async () => {
    const { fake, request: get } = ask()
    await get('/prices/etn')
    await get('/tokens/52014?limit=1')
    fake.fault({ reset: 'after' })
    await get(`/prices/52014/${BOLT}`).catch(() => {})
    expect(() => fake.expectCredits(50)).toThrow(
      `Expected 50 credits charged, not 180.\nThe requests:\n  #1 GET /prices/etn: 200 (25 credits, key ${fake.key})\n  #2 GET /tokens/52014?limit=1: 200 (105 credits, key ${fake.key})\n  #3 GET /prices/52014/${BOLT}: no answer (50 credits, not delivered, key ${fake.key}, fault: reset "after" on any operation)`,
    )
  })

  it('throws with the expected amount of each operation', async () => {
    const { fake, request: get } = ask()
    await get('/prices/etn')
    expect(() => fake.expectCredits({ 'nft.stats': 25 })).toThrow(
      'Unexpected credits charged:\n  etn.price: expected 0, not 25\n  nft.stats: expected 25, not 0\nThe requests:\n  #1 GET /prices/etn',
    )
  })

  it('carries expected and actual, as test runners show them', async () => {
    const { fake } = ask()
    const thrown = (() => {
      try {
        return fake.expectCredits(5)
      } catch (error) {
        return error
      }
    })()
    expect(thrown).toMatchObject({ name: 'AssertionError', expected: 5, actual: 0 })
    expect((thrown as Error).message).toBe('Expected 5 credits charged, not 0.\nNo request matches.')
  })
})

describe('expectRequests', () => {
  it('throws with the requests concerned', async () => {
    const { fake, request: get } = ask()
    await get('/prices/etn')
    await get('/nowhere')
    expect(() => fake.expectRequests(1)).toThrow(
      `Expected 1 requests, not 2.\nThe requests:\n  #1 GET /prices/etn: 200 (25 credits, key ${fake.key})\n  #2 GET /nowhere: 404 not_found (0 credits, key ${fake.key})`,
    )
    expect(() => fake.expectRequests({ 'etn.price': 1 })).toThrow(
      'unknown: expected 0, not 1\nThe requests:\n  #2 GET /nowhere',
    )
    fake.expectRequests({ 'etn.price': 1, unknown: 1 })
    fake.reset()
    expect(() => fake.expectRequests(1)).toThrow('No request matches.')
  })
})
