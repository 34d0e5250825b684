import { ConnectionError, createClient, ResponseError, type Transport } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { expect, test, vi } from 'vitest'
import { address, BASE_URL, KEY, rejection } from '../support/setup.ts'

test.each([
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['an empty object', {}],
  ['a response without headers', { response: { status: 200, text: '{}' } }],
  ['a failure without a kind', { failure: {} }],
])('a transport that resolves to %s may have been charged, and is not asked again', async (_, outcome) => {
  const send = vi.fn(async () => outcome)
  const client = createClient({
    apiKey: KEY,
    baseUrl: BASE_URL,
    budget: { credits: 100 },
    transport: { send } as unknown as Transport,
  })
  const error = await rejection(client.token.price({ address: address(1) }), ResponseError)
  expect(error).toMatchObject({ code: 'invalid_fetch', charge: 'unknown', operation: 'token.price' })
  expect(error.message).toContain('the transport gave no outcome')
  expect(send).toHaveBeenCalledTimes(1)
  expect(client.budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 50 })
  await client.close()
})

test.each<[string, (own: Transport) => Transport, number]>([
  ['wraps', (own) => ({ send: (attempt) => own.send(attempt) }), 1],
  ['copies all properties of', (own) => ({ send: copyOf(own.send) }), 1],
  ['is a Proxy of', (own) => ({ send: new Proxy(own.send, {}) }), 1],
  [
    'inherits from the transport, and replaces',
    (own) => Object.create(own, { send: { value: own.send.bind(own) } }),
    1,
  ],
  ['inherits', (own) => Object.create(own), 0],
  ['is', (own) => own, 0],
])(
  'a transport that %s the `send` of the Node transport gets a real AbortSignal if others can see it',
  async (_, make, seen) => {
    const own = createNodeTransport()
    await own.close()
    const made = vi.fn()
    vi.stubGlobal(
      'AbortController',
      class extends AbortController {
        constructor() {
          super()
          made()
        }
      },
    )
    try {
      const client = createClient({ apiKey: KEY, baseUrl: BASE_URL, transport: make(own), retry: false })
      await rejection(client.token.price({ address: address(1) }), ConnectionError)
      expect(made).toHaveBeenCalledTimes(seen)
    } finally {
      vi.unstubAllGlobals()
    }
  },
)

function copyOf(send: Transport['send']): Transport['send'] {
  const copy: Transport['send'] = (attempt) => send(attempt)
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors(send))
}
