import { PartialBatchError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, limited, ok, price, refusal } from '../support/answers.ts'
import type { Exchange } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const asks = ({ url }: Exchange, token: string) =>
  (url.searchParams.get('addresses') ?? '').toLowerCase().includes(token.toLowerCase())

describe('prices.batch without addresses', () => {
  test('is {} and sends nothing', async () => {
    const { client, script } = setup(undefined, { budget: { credits: 0 }, cache: { ttlMs: { 'prices.batch': 1_000 } } })
    const { data, meta } = await client.prices.batch({ addresses: [] }).withMeta()
    expect(data).toEqual({})
    expect(meta).toMatchObject({ requests: 0, attempts: 0, shared: false, cached: false, credits: { charged: 0 } })
    expect(client.prices.batch.estimate({ addresses: [] })).toEqual({ min: 0, max: 0, requests: 0 })
    expect(script.requests).toHaveLength(0)
  })

  test("with partial 'return' nothing is missing", async () => {
    const { client } = setup()
    expect(await client.prices.batch({ addresses: [] }, { partial: 'return' })).toEqual({
      prices: {},
      missing: [],
      errors: [],
    })
  })
})

describe("partial: 'return'", () => {
  const asked = addresses(100)
  const failing = (exchange: Exchange) =>
    asks(exchange, asked[0] ?? '')
      ? refusal(400, 'bad_request')
      : ok({ [(asked[50] ?? '').toLowerCase()]: price(asked[50] ?? '') }, costs(600))

  test('resolves to what arrived, what is missing and why', async () => {
    const { client } = setup(failing, { budget: { credits: 10_000 } })
    const { data, meta } = await client.prices.batch({ addresses: asked }, { partial: 'return' }).withMeta()
    expect(Object.keys(data.prices)).toEqual(asked.slice(50))
    expect(data.prices[asked[50] ?? '']).toEqual(price(asked[50] ?? ''))
    expect(data.missing).toEqual(asked.slice(0, 50))
    expect(data.errors.map(({ code }) => code)).toEqual(['bad_request'])
    expect(meta.credits.charged).toBe(600)
    expect(client.budget).toMatchObject({ spent: 600, reserved: 0 })
  })

  test('the same failure rejects by default', async () => {
    const { client } = setup(failing)
    await expect(client.prices.batch({ addresses: asked })).rejects.toBeInstanceOf(PartialBatchError)
    await expect(client.prices.batch({ addresses: asked }, { partial: 'throw' })).rejects.toBeInstanceOf(
      PartialBatchError,
    )
  })

  test('resolves when every request failed', async () => {
    const { client } = setup(() => refusal(404, 'not_found'))
    const result = await client.prices.batch({ addresses: asked }, { partial: 'return' })
    expect(result).toMatchObject({ prices: {}, missing: asked })
    expect(result.errors).toHaveLength(2)
  })

  test('resolves for a batch of one request too', async () => {
    const { client } = setup(() => refusal(404, 'not_found'))
    const result = await client.prices.batch({ addresses: [address(1)] }, { partial: 'return' })
    expect(result).toMatchObject({ prices: {}, missing: [address(1)], errors: [{ code: 'not_found' }] })
  })

  test('keeps what came before the deadline', async () => {
    const { client, clock } = setup((exchange) => (asks(exchange, asked[0] ?? '') ? limited() : ok({}, costs(600))), {
      deadlineMs: 5_000,
      retry: { limit: 100 },
    })
    const outcome = watch(client.prices.batch({ addresses: asked }, { partial: 'return' }))
    await clock.advance(5_000)
    expect(outcome.value).toMatchObject({ missing: asked.slice(0, 50) })
    expect(outcome.value?.errors).toHaveLength(1)
  })

  test('still rejects with the reason of the signal', async () => {
    const { client, clock } = setup()
    const caller = new AbortController()
    const outcome = watch(client.prices.batch({ addresses: asked }, { partial: 'return', signal: caller.signal }))
    await clock.advance(0)
    caller.abort('left')
    await clock.advance(0)
    expect(outcome).toEqual({ state: 'rejected', error: 'left' })
  })

  test('another value is rejected before anything is sent', async () => {
    const { client, script } = setup()
    const options = { partial: 'keep' } as unknown as { partial: 'return' }
    await expect(client.prices.batch({ addresses: asked }, options)).rejects.toMatchObject({ code: 'invalid_option' })
    const other = options as object
    await expect(client.token.price({ address: address(1) }, other)).rejects.toMatchObject({ code: 'invalid_option' })
    expect(script.requests).toHaveLength(0)
  })
})
