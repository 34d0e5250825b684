import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/errors/redact.ts'

const SECRET = 'esk_live_abcdef'

function redactorOf(...secrets: string[]) {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

describe('redacting', () => {
  test('takes every occurrence out of a text', () => {
    expect(redactorOf(SECRET).text(`a ${SECRET} b ${SECRET}`)).toBe('a [redacted] b [redacted]')
  })

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

  test('reaches causes of causes, lists of errors, and circles', () => {
    const deep = new Error('top', { cause: new AggregateError([new Error(SECRET)], 'mid', { cause: { why: SECRET } }) })
    Object.assign(deep, { again: deep })
    expect(inspect(redactorOf(SECRET).error(deep), { depth: 10 })).not.toContain(SECRET)
  })

  test('what cannot be changed is replaced', () => {
    const frozen = Object.freeze(new Error(SECRET))
    const dom = new DOMException(SECRET, 'AbortError')
    for (const cause of [frozen, dom]) {
      const error = redactorOf(SECRET).error(new Error('outer', { cause }))
      expect(inspect(error, { depth: 5, showHidden: true })).not.toContain(SECRET)
      expect((error.cause as Error).message).toBe('[redacted]')
    }
  })
})
