import { createClient, ResponseError, type Transport } from 'etn-market'
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
