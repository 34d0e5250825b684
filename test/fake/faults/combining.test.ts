import { describe, expect, it } from 'vitest'
import type { FaultOptions, ScriptStep } from '../../../src/fake/index.ts'
import { ask, NOON, serve } from '../setup.ts'

describe('several faults on one call', () => {
  it('take effect together, in order: delays add up, headers merge, transforms run one after the other', async () => {
    const slept: number[] = []
    const clock = { now: () => NOON, sleep: async (ms: number) => void slept.push(ms) }
    const { fake, request: get } = ask({ clock })
    fake.fault({ delayMs: 100, headers: { 'x-a': '1', 'x-b': '1' } })
    fake.fault({ transform: (body) => ({ first: body }), headers: { 'x-b': '2' } })
    fake.fault({ delayMs: 20, transform: async (body) => ({ second: Object.keys(body as object) }), truncate: 0.99 })
    const response = await get()
    expect([response.headers.get('x-a'), response.headers.get('x-b'), slept]).toEqual(['1', '2', [120]])
    await expect(response.text()).rejects.toThrow('terminated')
    fake.expectNoUnusedFaults()
    fake.fault({ transform: (body) => ({ first: body }) })
    fake.fault({ transform: async (body) => ({ second: Object.keys(body as object) }) })
    expect(await (await get()).json()).toEqual({ second: ['first'] })
    expect(fake.journal().at(-1)?.fault).toBe('transform (…) on any operation; transform (…) on any operation')
  })

  it.each<[FaultOptions, FaultOptions]>([
    [{ status: 500 }, { status: 502 }],
    [{ status: 500 }, { front: 'nginx' }],
    [{ reset: 'after' }, { transform: () => ({}) }],
    [{ status: 500 }, { malformed: true }],
    [{ creditHeaders: 'missing' }, { status: 500 }],
    [{ creditHeaders: 'missing' }, { creditHeaders: 'duplicate' }],
    [{ truncate: 3 }, { stall: 3 }],
  ])('%j first, %j on the next call', async (first, second) => {
    const { fake, request: get } = ask()
    const faults = [fake.fault(first), fake.fault(second)]
    await get().catch(() => {})
    expect(faults.map(({ hits }) => hits)).toEqual([1, 0])
    await get().catch(() => {})
    expect(faults.map(({ hits }) => hits)).toEqual([1, 1])
  })

  it('a content that was second waits, whatever its nth says', async () => {
    const { fake, request: get } = ask()
    fake.fault({ status: 500 })
    fake.fault({ status: 502, nth: 1 })
    expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([500, 502, 200])
  })
})

describe('fake.script', () => {
  it('gives each call of an operation its outcome', async () => {
    const { fake, request: get } = ask()
    const script = fake.script('etn.price', [{ status: 429 }, { malformed: true }, 'ok', { status: 500 }])
    expect((await get('/nft/stats')).status).toBe(200)
    const first = await get()
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1'])
    await expect((await get()).json()).rejects.toThrow()
    expect((await get()).status).toBe(200)
    expect(() => fake.expectNoUnusedFaults()).toThrow(
      'script [status 429 | malformed true | ok | status 500] on etn.price: 3 of 4 hits',
    )
    expect(script.hits).toBe(3)
    expect([(await get()).status, (await get()).status]).toEqual([500, 200])
    fake.expectNoUnusedFaults()
  })

  it('can be limited to a key, and removed', async () => {
    const { fake, request: get } = ask({ keys: { a: 1_000, b: 1_000 } })
    fake.script('etn.price', [{ status: 500 }], { key: 'b' })
    expect((await get()).status).toBe(200)
    fake.script('etn.price', [{ status: 500 }]).remove()
    expect((await get()).status).toBe(200)
  })

  it.each<[unknown, unknown, RegExp]>([
    ['token.prise', ['ok'], /operation is one of/],
    ['token.price', [], /steps has at least 1 items/],
    ['token.price', ['fine'], /steps\[0\] is ok, or an object, not "fine"/],
    ['token.price', ['ok', { stat: 1 }], /steps\[1\] knows no option "stat"/],
    ['token.price', [{ status: 700 }], /steps\[0\].status is a whole number from 200 to 599/],
    ['token.price', [Object.create(null), [1]], /steps\[1\] is ok, or an object, not a list/],
  ])('rejects %j with %j', (operation, steps, message) => {
    expect(() => ask().fake.script(operation as 'token.price', steps as ScriptStep[])).toThrow(message)
  })
})

describe('functions of the user', () => {
  it('an async when is awaited, and a fault is never used more often than it should be', async () => {
    const { fake, request: get } = ask()
    fake.fault({ status: 500, when: async ({ path }) => path === '/prices/etn' })
    const statuses = (await Promise.all([get(), get(), get('/nft/stats')])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 200, 500])
  })
})

describe('Retry-After', () => {
  it.each<[FaultOptions, string | null]>([
    [{ status: 429 }, '1'],
    [{ status: 503 }, '1'],
    [{ status: 503, code: 'maintenance' }, null],
    [{ status: 500 }, null],
    [{ status: 429, retryAfter: false }, null],
    [{ status: 429, retryAfter: 5 }, '5'],
    [{ status: 429, headers: { 'Retry-After': '9' } }, '9'],
    [{ status: 429, date: NOON, retryAfter: 'soon' }, 'soon'],
  ])('of %j is %j', async (fault, expected) => {
    const { fake, get } = await serve()
    fake.fault(fault)
    expect((await get('/prices/etn')).headers.get('retry-after')).toBe(expected)
  })

  it('numbers are accepted for credit headers and dates', async () => {
    const { fake, get } = await serve()
    fake.fault({ creditHeaders: { cost: 7, remaining: 0 }, date: 0 })
    const { headers } = await get('/prices/etn')
    expect([headers.get('x-credits-cost'), headers.get('x-credits-remaining')]).toEqual(['7', '0'])
    expect(headers.get('date')).toBe('Thu, 01 Jan 1970 00:00:00 GMT')
  })
})
