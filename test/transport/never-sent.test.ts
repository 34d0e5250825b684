import { expect, test } from 'vitest'
import { isNeverSent } from '../../src/transport/outcome.ts'

const failure = (code: string, syscall?: string, message = 'it failed') =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error(message), { code, ...(syscall !== undefined && { syscall }) }),
  })

test.each([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET', 'EACCES'].map((code) => [
    code,
    'connect',
  ]),
  ['ENOTFOUND', 'getaddrinfo'],
  ['ETIMEOUT', 'queryA'],
  ['EADDRNOTAVAIL', 'bind'],
])('%s at the step %s: nothing was sent', (code, syscall) => {
  expect(isNeverSent(failure(code, syscall))).toBe(true)
  expect(isNeverSent(failure(code, undefined, `${syscall} ${code} 192.0.2.1:443`))).toBe(true)
})

test.each(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET'])(
  '%s at the step read or write: the request may have arrived',
  (code) => {
    for (const syscall of ['read', 'write']) {
      expect(isNeverSent(failure(code, syscall))).toBe(false)
      expect(isNeverSent(failure(code, undefined, `${syscall} ${code}`))).toBe(false)
    }
  },
)

test('a code that two steps have in common says nothing without a step', () => {
  expect(isNeverSent(failure('EHOSTUNREACH'))).toBe(false)
  expect(isNeverSent(failure('ENETUNREACH'))).toBe(false)
})

test('several addresses: each of them has to have failed before', () => {
  const connect = { code: 'ENETUNREACH', syscall: 'connect' }
  expect(isNeverSent(new AggregateError([connect, { code: 'ECONNREFUSED' }]))).toBe(true)
  expect(isNeverSent(new AggregateError([connect, { code: 'ENETUNREACH', syscall: 'read' }]))).toBe(false)
})

test('errors that contain themselves end', () => {
  const error = new AggregateError([])
  error.errors.push(error)
  expect(isNeverSent(error)).toBe(false)
  const caused = new Error('caused')
  caused.cause = caused
  expect(isNeverSent(caused)).toBe(false)
})
