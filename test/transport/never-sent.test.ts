import { expect, test } from 'vitest'
import { isNeverSent, refusedTunnel } from '../../src/transport/outcome.ts'

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

const caused = (...messages: (string | object)[]) =>
  messages.reduceRight<unknown>((cause, message) => {
    const error = new Error(typeof message === 'string' ? message : 'it failed', { cause })
    return typeof message === 'string' ? error : Object.assign(error, message)
  }, undefined)

const ABORTED = { code: 'UND_ERR_ABORTED' }
const CONNECTING = 'error sending request for url (https://market.test/v1/prices/etn): client error (Connect):'

test.each<[string, unknown, number | undefined]>([
  [
    'undici, and fetch of Node 22 to 26',
    caused('fetch failed', 'Request was cancelled.', {
      ...ABORTED,
      message: 'Proxy response (407) !== 200 when HTTP Tunneling',
    }),
    407,
  ],
  ['an agent of Node 22 to 26', caused('fetch failed', { code: 'ERR_PROXY_TUNNEL', statusCode: 403 }), 403],
  ['Bun 1.4', caused({ code: 'ERR_PROXY_TUNNEL', status: 502 }), 502],
  ['Deno 2.9, 407', caused('fetch failed', `${CONNECTING} proxy authentication required`), 407],
  ['Deno 2.9, any other status', caused('fetch failed', `${CONNECTING} unsuccessful tunnel`), undefined],
])('a tunnel that a forward proxy refuses, by the errors of %s: nothing was sent', (_, error, status) => {
  expect(refusedTunnel(error)).toEqual({ status })
  expect(isNeverSent(error)).toBe(true)
})

test.each<[string, unknown]>([
  ['Deno: refused', caused('fetch failed', `${CONNECTING} tcp connect error: Connection refused (os error 111)`)],
  ['Deno: look-up', caused('fetch failed', `${CONNECTING} dns error: failed to lookup address information`)],
  ['Deno: TLS', caused('fetch failed', `${CONNECTING} invalid peer certificate: UnknownIssuer`)],
  ['Deno: a port that is blocked', caused('Fetch failed: Requests to port 1 are blocked')],
  ['Node: a proxy that does not answer', caused('fetch failed', { code: 'ERR_PROXY_TUNNEL' })],
  ['undici 7.30: no mock for it', caused('fetch failed', { code: 'UND_MOCK_ERR_MOCK_NOT_MATCHED' })],
  ['nock 14.0: no mock for it', caused({ code: 'ERR_NOCK_NO_MATCH' })],
  [
    'nock 14.0: a host without mocks',
    caused({ code: 'ENETUNREACH', message: 'Nock: Disallowed net connect for "a:80/"' }),
  ],
  [
    'msw 2.15: no handler for it',
    caused('[MSW] Cannot bypass a request when using the "error" strategy for the option.'),
  ],
  ['undici: a dispatcher of another version', caused('fetch failed', { code: 'UND_ERR_INVALID_ARG' })],
])('%s: nothing was sent, and no tunnel was refused', (_, error) => {
  expect(isNeverSent(error)).toBe(true)
  expect(refusedTunnel(error)).toBeUndefined()
})

test.each<[string, unknown]>([
  ['Deno: sending', caused('fetch failed', CONNECTING.replace('(Connect)', '(SendRequest)'))],
  ['undici: another abort', caused('fetch failed', { ...ABORTED, message: 'Request aborted' })],
  ['a text that only contains the words', caused('the service said: Proxy response (407) !== 200 when HTTP Tunneling')],
])('%s: the request may have arrived', (_, error) => {
  expect(isNeverSent(error)).toBe(false)
  expect(refusedTunnel(error)).toBeUndefined()
})
