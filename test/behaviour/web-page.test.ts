import { NotFoundError, ResponseError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, html, ok, price, raw } from '../support/answers.ts'
import { address, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)
const budget = { credits: 1_000 }

describe('a web page that answers in place of the service', () => {
  test('with 200: ResponseError names baseUrl, may stand in for an answer that was charged, and is not retried', async () => {
    const { client, script, events } = setup(() => html(200), { budget })
    const error = await rejection(client.prices.batch({ addresses: [TOKEN] }), ResponseError)
    expect(error).toMatchObject({ code: 'not_the_service', status: 200, charge: 'unknown', credits: 0, attempts: 1 })
    expect(error.message).toContain('baseUrl')
    expect(error.message).toContain('proxy')
    expect(error.retryable).toBe(false)
    expect(script.requests).toHaveLength(1)
    expect(client.budget).toMatchObject({ spent: 0, uncertain: 110, reserved: 0, available: 890 })
    expect(client.credits).toMatchObject({ charged: 0, computed: 0, uncertain: 110 })
    expect(events.filter(({ type }) => type.startsWith('credits.'))).toMatchObject([{ type: 'credits.uncertain' }])
  })

  test.each(['text/html', 'text/html; charset=utf-8', 'TEXT/HTML', ' text/html'])('of the type %j', async (type) => {
    const { client } = setup(() => raw('<!doctype html>', { 'content-type': type }), { budget })
    await expect(client.token.price({ address: TOKEN })).rejects.toMatchObject({
      code: 'not_the_service',
      charge: 'unknown',
    })
  })

  test('with 404: the error does not claim that the token is missing', async () => {
    const { client } = setup(() => html(404), { budget })
    const error = await rejection(client.token.price({ address: TOKEN }), NotFoundError)
    expect(error).toMatchObject({ code: 'front_error', status: 404, charge: 'unknown', credits: 0 })
    expect(error.message).toContain('baseUrl')
    expect(error.message).not.toContain('does not exist')
  })

  test('a free operation and a request of your own', async () => {
    const { client } = setup(() => html(200), { budget })
    await expect(client.account.me()).rejects.toMatchObject({ code: 'not_the_service', charge: 'none' })
    await expect(client.request('/new', { maxCredits: 500 })).rejects.toMatchObject({
      code: 'not_the_service',
      charge: 'unknown',
      operation: 'request',
    })
    expect(client.budget.spent).toBe(0)
  })
})

describe('the service itself', () => {
  test('HTML with a credits header was charged', async () => {
    const { client, script } = setup(() => html(200, costs(50)), { budget })
    const error = await rejection(client.token.price({ address: TOKEN }), ResponseError)
    expect(error).toMatchObject({ code: 'not_json', charge: 'charged', credits: 50, attempts: 1 })
    expect(script.requests).toHaveLength(1)
    expect(client.budget.spent).toBe(50)
  })

  test('HTML that states what is left was charged, by what is computed', async () => {
    const { client } = setup(() => html(200, { 'x-credits-remaining': '900' }), { budget })
    const error = await rejection(client.token.price({ address: TOKEN }), ResponseError)
    expect(error).toMatchObject({ code: 'not_json', charge: 'charged', credits: 50 })
  })

  test('JSON that is labelled as HTML and has a credits header is an answer', async () => {
    const body = JSON.stringify({ data: price(TOKEN) })
    const { client } = setup(() => raw(body, { ...costs(50), 'content-type': 'text/html' }), { budget })
    expect(await client.token.price({ address: TOKEN })).toEqual(price(TOKEN))
    expect(client.budget.spent).toBe(50)
  })

  test('JSON without a credits header is an answer, and its charge is computed', async () => {
    const { client } = setup(() => ok(price(TOKEN), { 'content-type': 'application/json' }), { budget })
    const { meta } = await client.token.price({ address: TOKEN }).withMeta()
    expect(meta.credits).toMatchObject({ charged: 50, source: 'computed' })
  })
})
