import { BudgetExceededError, EtnMarketError, isEtnMarketError, PartialBatchError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, cutOff, networkError, ok, price, raw, refusal } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, KEY, rejection, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

async function errorOf(handler: Handler, options: Parameters<typeof setup>[1] = {}): Promise<EtnMarketError> {
  const { client, clock } = setup(handler, { retry: false, timeoutMs: 1_000, ...options })
  const call = rejection(client.token.price({ address: TOKEN }), EtnMarketError)
  await clock.advance(60_000)
  return call
}

test('a batch is retryable, when one of its errors is', async () => {
  const answers = [refusal(400, 'bad_request'), refusal(500, 'internal')]
  const { client } = setup(({ number }) => answers[number - 1], { retry: false })
  const error = await rejection(client.prices.batch({ addresses: addresses(100) }), PartialBatchError)
  expect(error.retryable).toBe(true)
})

// Errors of attempts: `retried.test.ts`.
describe('every error names its call', () => {
  test('what was rejected before it was sent names the parameters too', async () => {
    const { client } = setup()
    const params = { address: '0x12' }
    const error = await rejection(client.token.price(params), EtnMarketError)
    expect(error).toMatchObject({ operation: 'token.price', params, attempts: 0 })
    const refused = setup(undefined, { budget: { credits: 0 } })
    expect(await rejection(refused.client.etn.price(), BudgetExceededError)).toMatchObject({ operation: 'etn.price' })
  })

  test('requestIds are those of the events', async () => {
    const asked = addresses(120)
    const { client, events } = setup(() => refusal(404, 'not_found'))
    const error = await rejection(client.prices.batch({ addresses: asked }), PartialBatchError)
    const sent = events.flatMap((event) => (event.type === 'request.sent' ? [event.requestId] : []))
    expect(error.requestIds).toEqual(sent)
    expect(sent).toHaveLength(3)
  })
})

describe('JSON.stringify', () => {
  test('has the message and every public field, and no key', async () => {
    const error = await errorOf(
      () => refusal(429, 'rate_limited', { 'retry-after': '7' }, `the key ${KEY} is over its limit`),
      { headers: { 'x-tenant': 'one' } },
    )
    const text = JSON.stringify(error)
    expect(text).not.toContain(KEY)
    expect(JSON.parse(text)).toMatchObject({
      name: 'RateLimitError',
      message: error.message,
      code: 'rate_limited',
      operation: 'token.price',
      params: { address: TOKEN },
      attempts: 1,
      charge: 'none',
      credits: 0,
      status: 429,
      retryAfterMs: 7_000,
      retryable: true,
      requestIds: ['1.1'],
    })
  })

  test('of an error with a cause keeps its name and message', async () => {
    const error = await errorOf(() => networkError('ECONNRESET', `read ECONNRESET ${KEY}`))
    const json = JSON.parse(JSON.stringify(error)) as { cause: { name: string; message: string } }
    expect(json.cause.name).toBe('TypeError')
    expect(JSON.stringify(json)).not.toContain(KEY)
  })

  test('of a batch has the prices, what is missing and each error with its message', async () => {
    const asked = addresses(60)
    const { client } = setup(({ number }) => (number === 1 ? ok({}, costs(600)) : refusal(404, 'not_found')))
    const error = await rejection(client.prices.batch({ addresses: asked }), PartialBatchError)
    const json = JSON.parse(JSON.stringify(error)) as { errors: { message: string }[] }
    expect(json).toMatchObject({
      name: 'PartialBatchError',
      missing: asked.slice(50),
      credits: 600,
      code: 'partial_batch',
    })
    expect(json.errors[0]?.message).toContain('404')
  })

  test('of the error of a budget has what is needed', async () => {
    const { client } = setup(undefined, { budget: { credits: 10, windowMs: 1_000 } })
    const error = await rejection(client.token.price({ address: TOKEN }), BudgetExceededError)
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ needed: 50, available: 10, resetsAt: error.resetsAt })
  })
})

describe('the stack', () => {
  async function firstCaller(client: ReturnType<typeof setup>['client']) {
    await client.token.price({ address: TOKEN })
  }
  async function secondCaller(client: ReturnType<typeof setup>['client']) {
    await client.token.price({ address: TOKEN })
  }
  const lines = (outcome: { error?: unknown }, name: string) =>
    String((outcome.error as Error).stack)
      .split('\n')
      .filter((line) => line.includes(name)).length

  test("has the caller's own line, once, for each caller who shares a failure", async () => {
    const { client, clock, script } = setup(undefined, { retry: false })
    const first = watch(firstCaller(client))
    const second = watch(secondCaller(client))
    await clock.advance(10)
    script.open[0]?.answer(refusal(404, 'not_found'))
    await flush()
    expect(script.requests).toHaveLength(1)
    expect([lines(first, 'firstCaller'), lines(first, 'secondCaller')]).toEqual([1, 0])
    expect([lines(second, 'firstCaller'), lines(second, 'secondCaller')]).toEqual([0, 1])
    for (const { error } of [first, second]) {
      const { stack = '', message } = error as Error
      expect(stack.startsWith(`NotFoundError: ${message}`)).toBe(true)
    }
  })

  test.each<[string, Handler, Parameters<typeof setup>[1]]>([
    ['a deadline', () => undefined, { deadlineMs: 500 }],
    ['a budget', () => undefined, { budget: { credits: 0 } }],
    ['a lost connection after retries', () => networkError('ECONNRESET'), { retry: { limit: 2 } }],
    ['a success that is none', () => raw('{', costs(50)), {}],
  ])("of %s has the caller's line", async (_, handler, options) => {
    const { client, clock } = setup(handler, options)
    const outcome = watch(firstCaller(client))
    await clock.advance(60_000)
    expect(lines(outcome, 'firstCaller')).toBe(1)
  })

  test("of rejected parameters and of client.request() has the caller's line", async () => {
    const { client } = setup(() => refusal(404, 'not_found'))
    async function asksWrongly() {
      await client.token.price({ address: 'x' })
    }
    async function asksAnotherPath() {
      await client.request('/x', { maxCredits: 1 })
    }
    const outcomes = [watch(asksWrongly()), watch(asksAnotherPath())]
    await flush()
    expect(lines(outcomes[0] ?? {}, 'asksWrongly')).toBe(1)
    expect(lines(outcomes[1] ?? {}, 'asksAnotherPath')).toBe(1)
  })
})

describe('the message', () => {
  test('counts attempts in plain English', async () => {
    const one = await errorOf(() => undefined, { deadlineMs: 500 })
    expect(one.message).toContain('after 1 attempt.')
    const two = await errorOf(() => cutOff(), { deadlineMs: 500, retry: { limit: 1 }, timeoutMs: 5_000 })
    expect(two.message).not.toContain('1 attempts')
  })

  test.each([
    ['ECONNRESET', 'read ECONNRESET'],
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['EPIPE', 'write EPIPE'],
    ['UND_ERR_SOCKET', 'other side closed'],
  ])('names the code %s once', async (code, message) => {
    const error = await errorOf(() => networkError(code, message))
    // Over a real connection the wording is the runtime's own.
    for (const word of [code, 'ECONNRESET', 'ECONNREFUSED'])
      expect(error.message.split(word).length - 1).toBeLessThanOrEqual(1)
  })

  test('of an error that crosses copies of the package is still known', async () => {
    const error = await errorOf(() => refusal(404, 'not_found'))
    expect(isEtnMarketError(error)).toBe(true)
    expect(isEtnMarketError(JSON.parse(JSON.stringify(error)))).toBe(false)
    expect(isEtnMarketError(price(TOKEN))).toBe(false)
  })
})
