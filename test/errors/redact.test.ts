import { inspect } from 'node:util'
import { createClient } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { Redactor } from '../../src/errors/redact.ts'

const SECRET = 'esk_live_abcdef'

function redactorOf(...secrets: string[]) {
  const redactor = new Redactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

// What errors, events and clients show of a key: `test/behaviour/secrets.test.ts`.
describe('redacting', () => {
  test('a secret with characters that mean something to patterns is taken as it is', () => {
    expect(redactorOf('a.*$&+key').text('a.*$&+key aXXkey')).toBe('[redacted] aXXkey')
  })

  test('a secret that begins with another one leaves no rest behind', () => {
    const long = `${SECRET}_and_more`
    for (const redactor of [redactorOf(SECRET, long), redactorOf(long, SECRET)]) {
      expect(redactor.text(`key: ${long}.`)).toBe('key: [redacted].')
    }
  })

  test('a secret with a quote or a backslash, written as JSON writes it', () => {
    const odd = 'esk"live\\key'
    expect(redactorOf(odd).text(JSON.stringify({ odd }))).not.toContain(JSON.stringify(odd).slice(1, -1))
  })

  test('changes an error in place: the same object, class and stack', () => {
    const error = Object.assign(new RangeError(`no ${SECRET}`), { body: { [SECRET]: [SECRET, 5, null] } })
    const clean = redactorOf(SECRET).error(error)
    expect(clean).toBe(error)
    expect(clean.message).toBe('no [redacted]')
    expect(clean.stack).toContain('RangeError: no [redacted]')
    expect(clean.body).toEqual({ '[redacted]': ['[redacted]', 5, null] })
  })

  test('leaves alone what holds no secret', () => {
    const cause = { code: 'x', list: [1, 2n, undefined, true], at: 5 }
    const error = new Error('fine', { cause })
    expect(redactorOf(SECRET).error(error)).toBe(error)
    expect(error.cause).toEqual(cause)
  })
})

describe('keys that rotate', () => {
  const key = (number: number) => `esk_live_${String(number).padStart(8, '0')}`

  test('none of 60 concurrent calls with 60 keys shows one', async () => {
    let asked = 0
    const client = createClient({
      apiKey: () => key(++asked),
      baseUrl: 'http://127.0.0.1/v1/',
      retry: false,
      fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
        const header = String(new Request(input, init).headers.get('authorization'))
        await Promise.resolve()
        return new Response(JSON.stringify({ error: { code: 'odd', message: header }, [header]: header }), {
          status: 400,
        })
      },
    })
    const calls = Array.from({ length: 60 }, (_, number) =>
      client.pool.list({ limit: (number % 50) + 1 }, { timeoutMs: 1000 + number }),
    )
    const ends = await Promise.allSettled(calls)
    expect(asked).toBeGreaterThanOrEqual(50)
    for (const end of ends) expect(inspect(end, { depth: 10 })).not.toMatch(/esk_live_\d{8}/)
    expect(inspect(ends[0], { depth: 10 })).toContain('[redacted]')
  })

  test('the last 5,000 at least are not forgotten', () => {
    const redactor = new Redactor()
    const isRedacted = (number: number) => redactor.text(`a ${key(number)} b`) === 'a [redacted] b'
    for (let number = 0; number <= 20_000; number++) redactor.add(key(number))
    expect([15_001, 20_000].map(isRedacted)).toEqual([true, true])
    expect(isRedacted(9_999)).toBe(false)
    redactor.add(key(0))
    for (let number = 1; number <= 4_999; number++) redactor.add(key(number))
    expect(isRedacted(0)).toBe(true)
    for (let number = 1; number <= 10_000; number++) redactor.add(key(number))
    expect(isRedacted(0)).toBe(false)
  })

  test('to search a text for 5,000 keys takes hardly longer than for 100', () => {
    const body = 'all is well esk_live_ 1234567890 '.repeat(32_768)
    const cpuFor = (keys: number) => {
      const redactor = new Redactor()
      for (let number = 0; number < keys; number++) redactor.add(`${number}${key(number)}`)
      const before = process.cpuUsage()
      expect(redactor.text(`${body}${keys - 1}${key(keys - 1)}`)).toBe(`${body}[redacted]`)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    expect(cpuFor(5_000) / cpuFor(100)).toBeLessThan(10)
  })
})

describe('what a body or an error may be', () => {
  test('as names of properties, secrets are redacted, and no value is lost', () => {
    const upper = SECRET.toUpperCase()
    const body = {
      [SECRET]: 1,
      [upper]: 2,
      '[redacted]': 3,
      map: new Map([
        [SECRET, SECRET],
        [upper, 'b'],
      ]),
      set: new Set([SECRET]),
    }
    const error = Object.assign(new Error('x'), { body, [SECRET]: 'own' })
    const clean = redactorOf(SECRET).error(error)
    expect(clean).toBe(error)
    expect(clean.body).toEqual({
      '[redacted]': 1,
      '[redacted] (2)': 2,
      '[redacted] (3)': 3,
      map: new Map([
        ['[redacted]', '[redacted]'],
        ['[redacted] (2)', 'b'],
      ]),
      set: new Set(['[redacted]']),
    })
    expect(Object.keys(clean)).toEqual(['body', '[redacted]'])
  })

  test('__proto__ in a body stays a property and changes no prototype', () => {
    const body = JSON.parse(`{"__proto__":{"polluted":"${SECRET}"},"a":{"__proto__":null}}`)
    const clean = redactorOf(SECRET).error(Object.assign(new Error('x'), { body })).body
    expect(JSON.stringify(clean)).toBe('{"__proto__":{"polluted":"[redacted]"},"a":{"__proto__":null}}')
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype)
    expect(clean.polluted).toBeUndefined()
  })

  test.each([4_000, 100_000])('nested %i levels deep, it is redacted to the bottom', (depth) => {
    let body: unknown = SECRET
    for (let level = 0; level < depth; level++) body = level % 2 === 0 ? [body] : { a: body }
    let error = new Error('x', { cause: Object.assign(new Error('y'), { body }) })
    for (let level = 0; level < 500; level++) error = new Error('x', { cause: error })
    let bottom: unknown = redactorOf(SECRET).error(error)
    while (bottom instanceof Error) bottom = 'body' in bottom ? bottom.body : bottom.cause
    while (typeof bottom === 'object') bottom = Object.values(bottom as object)[0]
    expect(bottom).toBe('[redacted]')
  })

  test('circles of bodies stay circles', () => {
    const body: Record<string, unknown> = { why: SECRET }
    body.self = [body]
    const clean = redactorOf(SECRET).error(Object.assign(new Error('x'), { body })).body
    expect(clean.why).toBe('[redacted]')
    expect((clean.self as unknown[])[0]).toBe(clean)
  })

  test('secrets that overlap leave nothing behind', () => {
    expect(redactorOf('abcdef', 'defghi', 'efgh').text('-abcdefghi-abcdef-')).toBe('-[redacted]-[redacted]-')
  })

  test('getters that throw, errors that cannot be extended, and half of a surrogate pair break nothing', () => {
    const body = Object.defineProperty({}, 'a', { enumerable: true, get: () => fail() })
    const sealed = Object.preventExtensions(Object.assign(new Error('x'), { [SECRET]: SECRET }))
    const error = redactorOf(SECRET, '\ud800secret').error(new Error('top', { cause: sealed }))
    expect(inspect(error, { depth: 5, showHidden: true })).not.toContain(SECRET)
    expect(redactorOf(SECRET).error(Object.assign(new Error('x'), { body })).body).toEqual({ a: undefined })
    function fail(): never {
      throw new Error(SECRET)
    }
  })

  test.each<[string, () => unknown]>([
    ['a symbol', () => Symbol(SECRET)],
    ['a function with such a name', () => Object.defineProperty(() => {}, 'name', { value: SECRET })],
    ['a property of a function', () => Object.assign(() => {}, { [SECRET]: SECRET })],
    ['a function that inspects as the secret', () => Object.assign(new Error('x'), { [inspect.custom]: () => SECRET })],
    ['a property named by a symbol', () => Object.assign(new Error('x'), { [Symbol(SECRET)]: 1 })],
    ['a getter that throws', () => Object.defineProperty(new Error('x'), 'data', { get: fail, configurable: true })],
    ['a Proxy of an error', () => new Proxy(new Error(SECRET), {})],
    [
      'a Proxy whose message differs',
      () => new Proxy(new Error('x'), { get: (_, name) => (name === 'message' ? SECRET : 'x') }),
    ],
    ['a Proxy whose traps throw', () => new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail })],
    ['an error with a Proxy', () => Object.assign(new Error('x'), { of: new Proxy([SECRET], { get: fail }) })],
  ])('what is no ordinary value shows nothing: %s', (_, make) => {
    const error = redactorOf(SECRET).error(new Error('top', { cause: make() }))
    expect(inspect(error, { depth: 5, showHidden: true, getters: true })).not.toContain(SECRET)
    expect(String((error.cause as Error).message)).not.toContain(SECRET)
  })

  function fail(): never {
    throw new Error(SECRET)
  }
})
