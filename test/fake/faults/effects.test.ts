import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { FakeService, FaultEffects } from '../../../src/fake/index.ts'
import { BOLT, makeFake, NOON, serve } from '../setup.ts'
import { type Seen, SHELLS, type Stage, stage } from './shells.ts'

const COST = 25
const UNDELIVERED = { credits: COST, delivered: false }
const DELIVERED = { credits: COST, delivered: true }

/** Asks, and gives up as soon as the request has arrived. */
async function giveUp(fake: FakeService, see: Stage['see']): Promise<Seen> {
  const controller = new AbortController()
  const seen = see({ signal: controller.signal })
  await expect.poll(() => fake.journal().length).toBe(1)
  controller.abort(new DOMException('Too long.', 'TimeoutError'))
  return seen
}

describe.each(SHELLS)('faults through %s', (shell) => {
  it('answers a status with code and message, without execution and charge', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ status: 503, code: 'server_busy', message: 'Later.', retryAfter: '7' })
    const { status, headers, text } = await see()
    expect(status).toBe(503)
    expect(JSON.parse(text ?? '')).toEqual({ error: { code: 'server_busy', message: 'Later.' } })
    expect(headers?.get('retry-after')).toBe('7')
    expect(headers?.get('x-credits-cost')).toBeNull()
    fake.expectCredits(0)
    expect((await see()).status).toBe(200)
  })

  it.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [402, 'insufficient_credits'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
    [503, 'server_busy'],
    [599, 'service_error'],
  ])('gives status %i the code %s by default', async (status, code) => {
    const { fake, see } = await stage(shell)
    fake.fault({ status })
    const seen = await see()
    expect(seen.status).toBe(status)
    expect(JSON.parse(seen.text ?? '').error.code).toBe(code)
  })

  it('sends the body and headers of the fault', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ status: 418, body: ['any', { shape: true }], headers: { 'x-one': '1', 'x-two': ['a', 'b'] } })
    const { headers, text } = await see()
    expect(JSON.parse(text ?? '')).toEqual(['any', { shape: true }])
    expect([headers?.get('x-one'), headers?.get('x-two')]).toEqual(['1', 'a, b'])
  })

  it.each<[string, FaultEffects, Partial<Seen>, object[]]>([
    ['charges a status with charge: true', { status: 500, charge: true }, { status: 500 }, [UNDELIVERED]],
    ['answers a status without a body', { status: 204 }, { status: 204, text: '' }, []],
    ['charges nothing with charge: false', { malformed: true, charge: false }, { status: 200 }, []],
    ['charges what a front loses', { front: 'nginx' }, { status: 502 }, [UNDELIVERED]],
    ['charges nothing that a front refuses', { front: 'nginx', charge: false }, { status: 502 }, []],
    ['charges a body that is not JSON', { malformed: true }, { status: 200 }, [DELIVERED]],
  ])('%s', async (_, effects, expected, charges) => {
    const { fake, see } = await stage(shell)
    fake.fault(effects)
    const seen = await see()
    expect(seen).toMatchObject(expected)
    expect(fake.ledger()).toMatchObject(charges)
    expect(fake.ledger()).toHaveLength(charges.length)
    const cost = seen.headers?.get('x-credits-cost')
    if (effects.malformed) expect(cost).toBe(effects.charge === false ? '0' : String(COST))
    if (effects.malformed) expect(() => JSON.parse(seen.text ?? '')).toThrow()
    if (effects.front) expect(cost).toBeNull()
  })

  it('charges before a delay', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ delayMs: 3_600_000 })
    const seen = see()
    await expect.poll(() => fake.charged()).toBe(COST)
    expect(fake.ledger()[0]?.delivered).toBe(false)
    fake.advance(3_600_000)
    expect((await seen).status).toBe(200)
    await expect.poll(() => fake.ledger()[0]?.delivered).toBe(true)
  })

  it('never answers until the caller gives up: charged, not delivered', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ never: true })
    const seen = await giveUp(fake, see)
    expect(seen.rejected?.name).toBe('TimeoutError')
    expect(fake.ledger()).toMatchObject([UNDELIVERED])
    await expect.poll(() => fake.journal()[0]).toMatchObject({ status: null, delivered: false, finished: true })
  })

  it('never answers without execution with charge: false', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ never: true, charge: false })
    expect((await giveUp(fake, see)).rejected?.name).toBe('TimeoutError')
    fake.expectCredits(0)
  })

  it.each(['before', 'after'] as const)('resets the connection %s the charge', async (reset) => {
    const { fake, see } = await stage(shell)
    fake.fault({ reset })
    const { rejected } = await see()
    expect(rejected?.name).toBe('TypeError')
    // msw has one network error for everything.
    expect(rejected?.code).toBe(shell === 'msw' ? undefined : 'ECONNRESET')
    fake.expectCredits(reset === 'before' ? 0 : COST)
    expect(fake.ledger().every(({ delivered }) => !delivered)).toBe(true)
    expect(fake.journal()).toMatchObject([{ status: null, fault: `reset "${reset}" on any operation` }])
  })

  it.each([0, 1, 20, 0.5, 0.99, 1_000_000])(
    'truncates the body at %d: headers arrive, the body breaks',
    async (truncate) => {
      const { fake, see } = await stage(shell)
      fake.fault({ truncate })
      const { status, headers, broken } = await see()
      expect(status).toBe(200)
      expect(headers?.get('x-credits-cost')).toBe(String(COST))
      expect(Number(headers?.get('content-length'))).toBeGreaterThan(20)
      expect(broken).toEqual({ name: 'TypeError', code: shell === 'node' ? 'ECONNRESET' : 'UND_ERR_SOCKET' })
      expect(fake.ledger()).toMatchObject([UNDELIVERED])
    },
  )

  it('omits, duplicates or replaces credit headers', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ creditHeaders: 'missing' })
    fake.fault({ creditHeaders: 'duplicate' })
    fake.fault({ creditHeaders: { cost: '12.5', remaining: 'many' } })
    fake.fault({ creditHeaders: { cost: '-1' } })
    const credits = async () => {
      const { headers } = await see()
      return [headers?.get('x-credits-cost'), headers?.get('x-credits-remaining')]
    }
    expect(await credits()).toEqual([null, null])
    expect(await credits()).toEqual(['25, 25', '999999950, 999999950'])
    expect(await credits()).toEqual(['12.5', 'many'])
    expect(await credits()).toEqual(['-1', '999999900'])
    fake.expectCredits(4 * COST)
  })

  it('sends any Retry-After: raw, several lines, or a date in the time of the fake', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ status: 429, retryAfter: 'soon' })
    fake.fault({ status: 503, retryAfter: ['1', '120'] })
    fake.fault({ status: 429, retryAfter: { inMs: 90_000 } })
    expect((await see()).headers?.get('retry-after')).toBe('soon')
    expect((await see()).headers?.get('retry-after')).toBe('1, 120')
    expect((await see()).headers?.get('retry-after')).toBe(new Date(NOON + 90_000).toUTCString())
  })

  it('shifts or replaces Date', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ date: { skewMs: -86_400_000 } })
    fake.fault({ date: 'yesterday' })
    expect((await see()).headers?.get('date')).toBe(new Date(NOON - 86_400_000).toUTCString())
    expect((await see()).headers?.get('date')).toBe('yesterday')
    expect((await see()).headers?.get('date')).toBe(new Date(NOON).toUTCString())
  })

  it('changes the shape of the body with transform', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ transform: (body) => ({ ...(body as object), data: { usd: 0.5, extra: true } }) })
    const { text } = await see()
    expect(JSON.parse(text ?? '')).toEqual({ data: { usd: 0.5, extra: true }, cursor: null })
    fake.expectCredits(COST)
  })
})

/** `etn-market/node` delivers a body as a whole or not at all. */
describe.each(SHELLS.filter((shell) => shell !== 'node'))('partial bodies through %s', (shell) => {
  it('delivers the bytes before a truncation', async () => {
    const { fake, base, fetch: how } = await stage(shell)
    const whole = await (await how(`${base}/prices/etn`, { headers: { authorization: `Bearer ${fake.key}` } })).text()
    fake.fault({ truncate: 20 })
    const response = await how(`${base}/prices/etn`, { headers: { authorization: `Bearer ${fake.key}` } })
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toBe(whole.slice(0, 20))
    await expect(reader?.read()).rejects.toThrow('terminated')
  })

  it('stalls the body until the caller gives up', async () => {
    const { fake, base, fetch: how } = await stage(shell)
    fake.fault({ stall: 10 })
    const controller = new AbortController()
    const headers = { authorization: `Bearer ${fake.key}` }
    const response = await how(`${base}/prices/etn`, { headers, signal: controller.signal })
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('{"data":{"')
    const rest = reader?.read()
    controller.abort(new Error('enough'))
    await expect(rest).rejects.toThrow('enough')
    expect(fake.ledger()).toMatchObject([UNDELIVERED])
    await expect.poll(() => fake.journal()[0]?.finished).toBe(true)
  })
})

describe('over real HTTP', () => {
  const rawHeaders = (url: string, key: string) =>
    new Promise<string[]>((resolve, reject) => {
      const asked = request(url, { headers: { authorization: `Bearer ${key}` } }, (response) => {
        response.resume()
        response.once('end', () => resolve(response.rawHeaders))
      })
      asked.once('error', reject).end()
    })

  it('sends duplicate headers as two lines', async () => {
    const { fake, url, key } = await serve()
    fake.fault({ creditHeaders: 'duplicate' })
    fake.fault({ status: 429, retryAfter: ['5', '6'] })
    const credits = (await rawHeaders(`${url}/prices/etn`, key)).filter((name) => name === 'X-Credits-Cost')
    expect(credits).toHaveLength(2)
    const waits = (await rawHeaders(`${url}/prices/etn`, key)).filter((name) => name === 'Retry-After')
    expect(waits).toHaveLength(2)
  })

  it('reports an exception in a function of the fault to the caller', async () => {
    const { fake, get } = await serve()
    fake.fault({
      status: 500,
      when: ({ query }) => {
        if (query.limit) throw new Error('my other mistake')
        return false
      },
    })
    expect((await get('/tokens/52014?limit=1')).body.error.message).toContain('my other mistake')
    expect(fake.journal()).toMatchObject([{ finished: true }])
    fake.fault({
      transform: () => {
        throw new Error('my mistake')
      },
    })
    const { status, body } = await get('/prices/etn')
    expect(status).toBe(500)
    expect(body.error).toMatchObject({ code: 'fake_broken', message: expect.stringContaining('my mistake') })
  })
})

describe('faults and the rules', () => {
  it('do not charge what the service rejects', async () => {
    const fake = makeFake()
    fake.fault({ truncate: 5 })
    const response = await fake.fetch(`${fake.baseUrl}/tokens/52014/${BOLT.slice(1)}`)
    expect(response.status).toBe(400)
    await expect(response.text()).rejects.toThrow('terminated')
    fake.expectCredits(0)
  })

  it('keep the slot of a heavy route until the delivery ends', async () => {
    const fake = makeFake({ heavyConcurrency: 1 })
    const headers = { authorization: `Bearer ${fake.key}` }
    fake.fault({ operation: 'farm.list', stall: 10 })
    const stalled = await fake.fetch(`${fake.baseUrl}/farms/52014`, { headers })
    expect((await fake.fetch(`${fake.baseUrl}/farms/52014`, { headers })).status).toBe(503)
    await stalled.body?.cancel()
    expect((await fake.fetch(`${fake.baseUrl}/farms/52014`, { headers })).status).toBe(200)
  })

  it('take no heavy slot without execution', async () => {
    const fake = makeFake({ heavyConcurrency: 0 })
    fake.fault({ status: 500 })
    const response = await fake.fetch(`${fake.baseUrl}/farms/52014`, {
      headers: { authorization: `Bearer ${fake.key}` },
    })
    expect(response.status).toBe(500)
  })
})
