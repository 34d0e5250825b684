import { PartialBatchError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, cutOff, html, limited, networkError, ok, refusal, wait } from '../support/answers.ts'
import type { Exchange, Handler } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const ALL = addresses(120).map((token, index) => (index % 2 ? token : token.toLowerCase()))
const asked = ({ url }: Exchange) => (url.searchParams.get('addresses') ?? '').split(',')

/** Answers like the service, with prices keyed by lower-case address. */
const serve: Handler = (exchange) => {
  const list = asked(exchange)
  const prices = Object.fromEntries(list.map((token) => [token.toLowerCase(), { usd: token.slice(-3) }]))
  return ok(prices, costs(100 + 10 * list.length))
}
const chunkOf = (exchange: Exchange) =>
  Math.floor(ALL.findIndex((token) => token.toLowerCase() === asked(exchange)[0]?.toLowerCase()) / 50)
/** A service that fails for some of three chunks. */
const failing =
  (fail: Handler, chunks: readonly number[]): Handler =>
  (exchange) =>
    chunks.includes(chunkOf(exchange)) ? fail(exchange) : serve(exchange)

/** A batch of three chunks; those in `chunks` fail. */
async function partly(fail: Handler, chunks: readonly number[], retry: false | { limit: number } = false) {
  const made = setup(failing(fail, chunks), { retry, budget: { credits: 100_000 } })
  const outcome = watch(made.client.prices.batch({ addresses: ALL }))
  await made.clock.advance(50_000)
  return { ...made, error: outcome.error as PartialBatchError }
}

// Batches of any size, what they cost, and any chunks that fail: `test/credits/batch-model.test.ts`.
describe('prices.batch', () => {
  test('returns prices in the order of the addresses, keyed by address as the caller wrote it', async () => {
    const { client } = setup(serve)
    const [one, two, three] = addresses(3) as [string, string, string]
    const asWritten = [three.toLowerCase(), one, `0x${two.slice(2).toUpperCase()}`]
    const prices = await client.prices.batch({ addresses: asWritten })
    expect(Object.keys(prices)).toEqual(asWritten)
    expect(Object.values(prices).map((price) => price?.usd)).toEqual(['002', '000', '001'])
  })

  test('does not notice when the caller changes the list during the call', async () => {
    const { client, clock, script } = setup()
    const list = addresses(2)
    const outcome = watch(client.prices.batch({ addresses: list }))
    await clock.advance(0)
    list.reverse().push(address(9))
    script.open[0]?.answer(
      ok({ [address(0).toLowerCase()]: { usd: '0' }, [address(1).toLowerCase()]: { usd: '1' } }, costs(120)),
    )
    await clock.advance(0)
    expect(outcome.value).toMatchObject({ [address(0)]: { usd: '0' }, [address(1)]: { usd: '1' } })
    expect(Object.keys(outcome.value ?? {})).toHaveLength(2)
  })

  test('finds the price of an address in whatever case the service writes it; null, or none, is no price', async () => {
    const asked = addresses(4)
    const [one = '', two = '', three = ''] = asked
    const { client } = setup(() =>
      ok({ [one]: { usd: '1' }, [two.toUpperCase()]: { usd: '2' }, [three.toLowerCase()]: null }, costs(140)),
    )
    const prices = await client.prices.batch({ addresses: asked })
    expect(Object.values(prices)).toEqual([{ address: one, usd: '1' }, { address: two, usd: '2' }, null, null])
  })

  test.each([1, 2, 4, 9])('sends at most batchConcurrency chunks at a time: %i', async (batchConcurrency) => {
    const { client, clock, script } = setup(undefined, { batchConcurrency })
    const outcome = watch(client.prices.batch({ addresses: addresses(500) }))
    await clock.advance(0)
    expect(script.open).toHaveLength(batchConcurrency)
    while (script.open.length > 0) {
      const [exchange] = script.open
      exchange?.answer(serve(exchange) as Response)
      await clock.advance(0)
    }
    expect(script.peak).toBe(batchConcurrency)
    expect(outcome.state).toBe('resolved')
  })
})

describe('a batch of several chunks', () => {
  test('rejects with the paid prices and the missing addresses, both as the caller wrote them; the rest can be asked for', async () => {
    const { error } = await partly(() => refusal(404, 'not_found'), [1])
    expect(error).toBeInstanceOf(PartialBatchError)
    expect(error).toMatchObject({
      name: 'PartialBatchError',
      code: 'partial_batch',
      operation: 'prices.batch',
      attempts: 3,
      credits: 600 + 300,
      charge: 'charged',
    })
    expect(Object.keys(error.prices)).toEqual([...ALL.slice(0, 50), ...ALL.slice(100)])
    expect(error.missing).toEqual(ALL.slice(50, 100))
    expect(error.errors.map(({ name }) => name)).toEqual(['NotFoundError'])
    expect(error.cause).toBe(error.errors[0])
    const rest = await setup(serve).client.prices.batch({ addresses: error.missing })
    expect(Object.keys({ ...error.prices, ...rest }).sort()).toEqual([...ALL].sort())
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
    const error = outcome.error as PartialBatchError
    expect(Object.keys(error.prices)).toEqual(ALL.slice(0, 50))
    expect(error.errors.map(({ code }) => code)).toEqual(['deadline_exceeded', 'deadline_exceeded'])
    expect(error.charge).toBe('unknown')
  })

  test('that shares all of its requests says so where they fail, and has no credits', async () => {
    const { client, clock } = setup(
      failing(() => cutOff(costs(600)), [0]),
      { retry: false },
    )
    const [paying, sharing] = [ALL, ALL].map((addresses) => watch(client.prices.batch({ addresses })))
    await clock.advance(1_000)
    expect(paying?.error).toMatchObject({ name: 'PartialBatchError', charge: 'charged' })
    expect(paying?.error).not.toHaveProperty('shared', true)
    expect(sharing?.error).toMatchObject({ name: 'PartialBatchError', shared: true, credits: 0 })
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
})

describe("partial: 'return'", () => {
  const partial = 'return' as const

  test('resolves to what arrived, what is missing and why', async () => {
    const { client } = setup(
      failing(() => refusal(400, 'bad_request'), [0]),
      { budget: { credits: 10_000 } },
    )
    const { data, meta } = await client.prices.batch({ addresses: ALL }, { partial }).withMeta()
    expect(Object.keys(data.prices)).toEqual(ALL.slice(50))
    expect(data.prices[ALL[50] ?? '']).toEqual({ address: ALL[50], usd: ALL[50]?.slice(-3) })
    expect(data.missing).toEqual(ALL.slice(0, 50))
    expect(data.errors.map(({ code }) => code)).toEqual(['bad_request'])
    expect(meta.credits.charged).toBe(900)
    expect(client.budget).toMatchObject({ spent: 900, reserved: 0 })
    // As by default.
    const rejected = client.prices.batch({ addresses: ALL }, { partial: 'throw' })
    await expect(rejected).rejects.toBeInstanceOf(PartialBatchError)
  })

  test.each([1, 100])('resolves when every request for %i addresses has failed', async (count) => {
    const { client } = setup(() => refusal(404, 'not_found'))
    const result = await client.prices.batch({ addresses: ALL.slice(0, count) }, { partial })
    expect(result).toMatchObject({ prices: {}, missing: ALL.slice(0, count) })
    expect(result.errors.map(({ code }) => code)).toEqual(Array(Math.ceil(count / 50)).fill('not_found'))
  })

  test('keeps what came before the deadline', async () => {
    const { client, clock } = setup(
      failing(() => limited(), [0]),
      { deadlineMs: 5_000, retry: { limit: 100 } },
    )
    const outcome = watch(client.prices.batch({ addresses: ALL.slice(0, 100) }, { partial }))
    await clock.advance(5_000)
    expect(outcome.value).toMatchObject({ missing: ALL.slice(0, 50) })
    expect(outcome.value?.errors).toHaveLength(1)
  })

  test('still rejects with the reason of the signal', async () => {
    const { client, clock } = setup()
    const caller = new AbortController()
    const outcome = watch(client.prices.batch({ addresses: ALL }, { partial, signal: caller.signal }))
    await clock.advance(0)
    caller.abort('left')
    await clock.advance(0)
    expect(outcome).toEqual({ state: 'rejected', error: 'left' })
  })

  test('another value is rejected before anything is sent', async () => {
    const { client, script } = setup()
    const options = { partial: 'keep' } as unknown as { partial: 'return' }
    await expect(client.prices.batch({ addresses: ALL }, options)).rejects.toMatchObject({ code: 'invalid_option' })
    const other = options as object
    await expect(client.token.price({ address: address(1) }, other)).rejects.toMatchObject({ code: 'invalid_option' })
    expect(script.requests).toHaveLength(0)
  })
})

test('a batch without addresses is {} and sends nothing', async () => {
  const { client, script } = setup(undefined, { budget: { credits: 0 }, cache: { ttlMs: { 'prices.batch': 1_000 } } })
  const { data, meta } = await client.prices.batch({ addresses: [] }).withMeta()
  expect(data).toEqual({})
  expect(meta).toMatchObject({ requests: 0, attempts: 0, shared: false, cached: false, credits: { charged: 0 } })
  const returned = await client.prices.batch({ addresses: [] }, { partial: 'return' })
  expect(returned).toEqual({ prices: {}, missing: [], errors: [] })
  expect(script.requests).toHaveLength(0)
})
