import { createClient, InvalidRequestError, NotFoundError, type Transport } from 'etn-market'
import { expect, test } from 'vitest'
import { costs, ok, price, refusal } from '../support/answers.ts'
import { address, addresses, KEY, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)

test('the response has the status, the headers and the very text of the service, for the price of one call', async () => {
  const text = '{ "data": { "address": "0x", "usd": 1.50, "large": 123456789012345678901234567890 }, "new": [] }'
  const headers = {
    ...{ 'content-type': 'application/json', 'content-encoding': 'identity', 'x-credits-cost': '50' },
    ...{ connection: 'keep-alive', 'keep-alive': 'timeout=5' },
  }
  let sent = 0
  const client = createClient({
    apiKey: KEY,
    validate: 'off',
    fetch: async () => {
      sent++
      return new Response(text, { status: 203, headers })
    },
  })
  const call = client.token.price({ address: TOKEN })
  const response = await call.asResponse()
  expect(response).toBeInstanceOf(Response)
  expect([response.status, response.headers.get('x-credits-cost')]).toEqual([203, '50'])
  // The text is decoded, whatever the bytes were.
  expect(response.headers.has('content-encoding')).toBe(false)
  // HTTP/2 refuses headers of a connection.
  expect([response.headers.has('connection'), response.headers.has('keep-alive')]).toEqual([false, false])
  expect(await response.text()).toBe(text)
  expect((await call).usd).toBe(1.5)
  expect([sent, client.credits.charged]).toEqual([1, 50])
})

test('each caller who shares a request has a response of its own', async () => {
  const { client, script } = setup(() => ok(price(TOKEN), costs(50)))
  const ask = () => client.token.price({ address: TOKEN }).asResponse()
  const bodies = await Promise.all((await Promise.all([ask(), ask()])).map((response) => response.json()))
  expect(bodies).toMatchObject([{ data: price(TOKEN) }, { data: price(TOKEN) }])
  expect(script.requests).toHaveLength(1)
})

test('an answer of the cache has status 200 and its content type alone', async () => {
  const { client } = setup(() => ok(price(TOKEN), costs(50)), { cache: { ttlMs: { 'token.price': 5_000 } } })
  await client.token.price({ address: TOKEN })
  const response = await client.token.price({ address: TOKEN }).asResponse()
  expect([response.status, [...response.headers]]).toEqual([200, [['content-type', 'application/json']]])
  expect(await response.json()).toMatchObject({ data: price(TOKEN) })
  expect(client.credits.charged).toBe(50)
})

test('a batch of several requests has the prices of all of them in its body', async () => {
  const { client, script } = setup(() => ok({}, costs(600)))
  const wanted = addresses(60)
  const response = await client.prices.batch({ addresses: wanted }).asResponse()
  expect(script.requests).toHaveLength(2)
  expect(await response.json()).toEqual({ data: Object.fromEntries(wanted.map((one) => [one, null])) })
})

test('it rejects as the call does', async () => {
  const { client } = setup(() => refusal(404, 'not_found'))
  const error = await rejection(client.token.get({ address: TOKEN }).asResponse(), NotFoundError)
  expect(error).toMatchObject({ status: 404, charge: 'none' })
})

test('an answer that came before it was asked for is not kept', async () => {
  const { client } = setup(() => ok(price(TOKEN), costs(50)))
  const call = client.token.price({ address: TOKEN })
  await call
  const error = await rejection(call.asResponse(), InvalidRequestError)
  expect(error).toMatchObject({ code: 'answer_not_kept', operation: 'token.price' })
})

test('data that a transport gives with a status that has no body is there all the same, and the response has none', async () => {
  const text = JSON.stringify({ data: price(TOKEN) })
  const transport: Transport = {
    async send({ beforeSend }) {
      beforeSend()
      return { response: { status: 204, headers: new Headers(), text } }
    },
  }
  const call = createClient({ apiKey: KEY, transport }).token.price({ address: TOKEN })
  const response = await call.asResponse()
  expect([response.status, await response.text(), await call]).toEqual([204, '', price(TOKEN)])
})
