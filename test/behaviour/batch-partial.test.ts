import { PartialBatchError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, cutOff, html, limited, networkError, ok, refusal, wait } from '../support/answers.ts'
import type { Exchange, Handler } from '../support/script.ts'
import { addresses, setup, watch } from '../support/setup.ts'

const ALL = addresses(120).map((token, index) => (index % 2 ? token : token.toLowerCase()))
const asked = ({ url }: Exchange) => (url.searchParams.get('addresses') ?? '').split(',')

const serve: Handler = (exchange) => {
  const list = asked(exchange)
  return ok(Object.fromEntries(list.map((token) => [token.toLowerCase(), { usd: '1' }])), costs(100 + 10 * list.length))
}

/** A batch of three chunks; the chunks in `failing` fail. */
async function partly(fail: Handler, failing: readonly number[], retry: false | { limit: number } = false) {
  const made = setup(
    (exchange) => (failing.includes(Math.floor(indexOf(exchange) / 50)) ? fail(exchange) : serve(exchange)),
    {
      retry,
      budget: { credits: 100_000 },
    },
  )
  const outcome = watch(made.client.prices.batch({ addresses: ALL }))
  await made.clock.advance(50_000)
  return { ...made, outcome, error: outcome.error as PartialBatchError }
}

const indexOf = (exchange: Exchange) =>
  ALL.findIndex((token) => token.toLowerCase() === asked(exchange)[0]?.toLowerCase())

describe('a batch of several chunks', () => {
  test('rejects with the paid prices and the missing addresses, both as the caller wrote them', async () => {
    const { error } = await partly(() => refusal(404, 'not_found'), [1])
    expect(error).toBeInstanceOf(PartialBatchError)
    expect(error).toMatchObject({
      name: 'PartialBatchError',
      code: 'partial_batch',
      operation: 'prices.batch',
      attempts: 3,
    })
    expect(Object.keys(error.prices)).toEqual([...ALL.slice(0, 50), ...ALL.slice(100)])
    expect(error.missing).toEqual(ALL.slice(50, 100))
    expect(error.errors.map(({ name }) => name)).toEqual(['NotFoundError'])
    expect(error).toMatchObject({ credits: 600 + 300, charge: 'charged' })
    expect(error.cause).toBe(error.errors[0])
  })

  test('rejects with every address missing when all chunks fail', async () => {
    const { error } = await partly(() => refusal(401, 'unauthorized'), [0, 1, 2])
    expect(error).toBeInstanceOf(PartialBatchError)
    expect(error).toMatchObject({ prices: {}, missing: ALL, credits: 0, charge: 'none' })
    expect(error.errors).toHaveLength(3)
  })

  test('rejects with the error itself when it has one chunk', async () => {
    const { client } = setup(() => refusal(401, 'unauthorized'))
    await expect(client.prices.batch({ addresses: addresses(50) })).rejects.toMatchObject({
      name: 'AuthenticationError',
    })
  })

  test.each<[string, Handler, object]>([
    ['a reset', () => networkError('ECONNRESET'), { credits: 900, charge: 'unknown' }],
    ['a gateway', () => html(502), { credits: 900, charge: 'unknown' }],
    ['a body cut off after a credits header', () => cutOff(costs(600)), { credits: 1_500, charge: 'charged' }],
    ['no connection', () => networkError('ECONNREFUSED'), { credits: 900, charge: 'charged' }],
    ['a body that is not JSON', () => new Response('x'), { credits: 1_500, charge: 'charged' }],
    ['data that is not an object', () => ok([], costs(600)), { credits: 1_500, charge: 'charged' }],
  ])('rejects with the credits and the charge of all chunks when one fails: %s', async (_, fail, expected) => {
    const { error, client } = await partly(fail, [1])
    expect(error).toMatchObject({ name: 'PartialBatchError', ...expected })
    expect(client.budget.spent).toBe(error.credits)
  })

  test('counts the retries of a chunk in the attempts and credits of the error', async () => {
    const { error } = await partly(() => cutOff(costs(600)), [1], { limit: 2 })
    expect(error).toMatchObject({ attempts: 5, credits: 900 + 3 * 600 })
  })

  test('rejects with the paid prices when the deadline ends it', async () => {
    const { client, clock } = setup((exchange) => (exchange.number === 1 ? serve(exchange) : undefined), {
      deadlineMs: 1_000,
    })
    const outcome = watch(client.prices.batch({ addresses: ALL }))
    await clock.advance(1_000)
    expect(outcome.error).toBeInstanceOf(PartialBatchError)
    const error = outcome.error as PartialBatchError
    expect(Object.keys(error.prices)).toEqual(ALL.slice(0, 50))
    expect(error.errors.map(({ code }) => code)).toEqual(['deadline_exceeded', 'deadline_exceeded'])
    expect(error.charge).toBe('unknown')
  })

  test('sends no further chunk after a 429 whose wait is too long', async () => {
    const { client, clock, script } = setup(() => limited(wait(600)), { batchConcurrency: 1 })
    const outcome = watch(client.prices.batch({ addresses: ALL }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(1)
    await clock.advance(60_000)
    expect(outcome.error).toMatchObject({ name: 'PartialBatchError', charge: 'none', credits: 0 })
    expect((outcome.error as PartialBatchError).errors.map(({ retryAfterMs }) => retryAfterMs)).toEqual([
      600_000, 60_000, 60_000,
    ])
  })

  test('returns the rest when it is called again with the missing addresses', async () => {
    const { error, client } = await partly(({ number }) => (number <= 3 ? refusal(404, 'x') : new Response()), [1])
    void client
    const next = setup(serve)
    const rest = await next.client.prices.batch({ addresses: error.missing })
    expect(Object.keys({ ...error.prices, ...rest }).sort()).toEqual([...ALL].sort())
  })
})
