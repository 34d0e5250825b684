import { createClient, type Hooks, InvalidRequestError, type Transport } from 'etn-market'
import { describe, expect, test } from 'vitest'
import type { HeadersOption } from '../../src/client/options.ts'
import { costs, ok, price } from '../support/answers.ts'
import { address, KEY, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)

describe('headers', () => {
  test.each<[string, HeadersOption]>([
    ['an object', { 'User-Agent': 'my-bot/1', 'X-Own': '1', 'X-Left-Out': undefined }],
    ['Headers', new Headers({ 'User-Agent': 'my-bot/1', 'X-Own': '1' })],
    [
      'pairs',
      [
        ['User-Agent', 'my-bot/1'],
        ['X-Own', '1'],
      ],
    ],
  ])('given as %s are sent with every request, beside the key', async (_, headers) => {
    const { client, script } = setup(() => ok(price(TOKEN), costs(50)), { headers })
    await client.token.price({ address: TOKEN })
    await client.etn.price()
    expect(script.requests).toHaveLength(2)
    for (const { headers } of script.requests) {
      expect(headers.get('user-agent')).toBe('my-bot/1')
      expect(headers.get('x-own')).toBe('1')
      expect(headers.has('x-left-out')).toBe(false)
      expect(headers.get('accept')).toBe('application/json')
      expect(headers.get('authorization')).toBe(`Bearer ${KEY}`)
    }
  })

  test.each<[string, unknown]>([
    ['Authorization', { Authorization: 'Bearer mine' }],
    ['AUTHORIZATION', [['AUTHORIZATION', 'Bearer mine']]],
    ['authorization', new Headers({ authorization: 'Bearer mine' })],
    ['Host', { Host: 'evil.test' }],
    ['Content-Length', { 'Content-Length': '5' }],
    ['Transfer-Encoding', { 'transfer-encoding': 'chunked' }],
    ['a name that is none', { 'a b': 'c' }],
    ['a value with a line break', { x: 'a\r\nb: c' }],
    ['a text', 'x: y'],
  ])('rejects %s for a client and for a call, and quotes no value', async (_, given) => {
    const headers = given as HeadersOption
    const create = () => createClient({ headers })
    expect(create).toThrow(expect.objectContaining({ name: 'InvalidRequestError', code: 'invalid_option' }))
    expect(create).not.toThrow(/mine|evil|b: c/)
    const { client, script } = setup()
    const error = await rejection(client.token.price({ address: TOKEN }, { headers }), InvalidRequestError)
    expect(error.message).not.toMatch(/mine|evil|b: c/)
    expect(script.requests).toHaveLength(0)
  })
})

describe('transport', () => {
  const transport: Transport = { send: () => new Promise(() => {}) }

  test.each([{ fetch: globalThis.fetch }, { hooks: {} }, { hooks: { beforeRequest: [] } }])(
    'is rejected together with %o, which it would not use',
    (options) => {
      expect(() => createClient({ transport, ...options })).toThrow(
        expect.objectContaining({
          code: 'invalid_option',
          message: expect.stringContaining(Object.keys(options).join()),
        }),
      )
    },
  )

  test.each<[string, object]>([
    ['transport', { transport: {} }],
    ['transport', { transport: null }],
    ['transport', { transport: () => {} }],
    ['fetch', { fetch: 'https' }],
    ['hooks.beforeRequest', { hooks: { beforeRequest: () => {} } as unknown as Hooks }],
    ['hooks.afterResponse', { hooks: { afterResponse: ['x'] } as unknown as Hooks }],
    ['beforeRetry', { hooks: { beforeRetry: [] } as unknown as Hooks }],
  ])('and %s are checked when the client is created: %o', (name, options) => {
    expect(() => createClient(options)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(name) }),
    )
  })
})
