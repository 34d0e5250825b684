import { EtnMarketError, PartialBatchError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, cutOff, networkError, ok, price, raw } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import type { Exchange } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
const errorOf = (outcome: { error?: unknown }) => outcome.error as EtnMarketError
const sum = (errors: readonly EtnMarketError[]) => errors.reduce((total, { credits }) => total + credits, 0)
const asks = ({ url }: Exchange, token: string) =>
  (url.searchParams.get('addresses') ?? '').toLowerCase().includes(token.toLowerCase())

describe('callers who share a failure', () => {
  test('get an error each, and the credits stand on one, also where the one who would have paid has left', async () => {
    const { client, script } = setup(undefined, { budget: { credits: 1_000 } })
    const caller = new AbortController()
    const left = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    const outcomes = Array.from({ length: 5 }, () => watch(client.token.price({ address: TOKEN })))
    await flush()
    caller.abort('left')
    await flush()
    script.open[0]?.answer(raw('{', costs(50)))
    await flush()
    expect(left.error).toBe('left')
    const errors = outcomes.map(errorOf)
    expect(new Set(errors).size).toBe(5)
    expect(errors.map(({ credits }) => credits)).toEqual([50, 0, 0, 0, 0])
    expect(errors.map(({ charge }) => charge)).toEqual(['charged', 'none', 'none', 'none', 'none'])
    expect(errors.map(({ shared }) => shared)).toEqual([undefined, true, true, true, true])
    expect(sum(errors)).toBe(client.budget.spent)
    expect(errors.every((error) => error instanceof EtnMarketError && error.code === 'not_json')).toBe(true)
  })

  test('a sharer whose deadline passes pays nothing; the one that stays pays', async () => {
    const { client, clock, script } = setup(undefined, { budget: { credits: 1_000 }, deadlineMs: 5_000 })
    const first = watch(client.token.price({ address: TOKEN }))
    await clock.advance(2_000)
    const second = watch(client.token.price({ address: TOKEN }))
    await clock.advance(3_000)
    expect(errorOf(first)).toMatchObject({ code: 'deadline_exceeded', credits: 0, charge: 'none', shared: true })
    script.open[0]?.answer(ok(price(TOKEN), costs(50)))
    await flush()
    expect(second.state).toBe('resolved')
    expect(client.budget).toMatchObject({ spent: 50, uncertain: 0 })
  })
})

test('PartialBatchError counts what this call paid, not the chunk of another caller', async () => {
  const asked = addresses(100)
  const fails = asked[60] ?? ''
  const { client, clock, script } = setup(undefined, { budget: { credits: 10_000 }, retry: false })
  const other = watch(client.prices.batch({ addresses: asked.slice(0, 50) }).withMeta())
  const whole = watch(client.prices.batch({ addresses: asked }))
  await clock.advance(0)
  expect(script.requests).toHaveLength(2)
  for (const exchange of script.open) exchange.answer(asks(exchange, fails) ? raw('{', costs(600)) : ok({}, costs(600)))
  await clock.advance(0)
  const error = errorOf(whole) as PartialBatchError
  expect(error).toBeInstanceOf(PartialBatchError)
  expect(error).toMatchObject({ credits: 600, charge: 'charged' })
  expect(other.value?.meta.credits.charged).toBe(600)
  expect(client.budget.spent).toBe(1_200)
})

describe('every error has what its call was charged', () => {
  test('client_closed after a lost answer and one that was charged', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? cutOff(costs(50)) : undefined), {
      budget: { credits: 1_000 },
    })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(3_000)
    expect(script.requests).toHaveLength(2)
    await client.close()
    expect(errorOf(outcome)).toMatchObject({ code: 'client_closed', charge: 'unknown', credits: 50, attempts: 2 })
    expect(errorOf(outcome)).toMatchObject({ operation: 'token.price', params: { address: TOKEN } })
    expect(client.budget).toMatchObject({ spent: 50, uncertain: 50 })
  })

  test('a key function that fails on the second attempt', async () => {
    let asked = 0
    const { client, clock } = setup(() => networkError('ECONNRESET'), {
      budget: { credits: 1_000 },
      apiKey: () => {
        if (++asked > 1) throw new Error('vault is locked')
        return 'esk_live_first'
      },
    })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(10_000)
    expect(errorOf(outcome)).toMatchObject({ code: 'api_key_unavailable', charge: 'unknown', attempts: 1, credits: 0 })
    expect(client.budget).toMatchObject({ uncertain: 50, reserved: 0 })
  })
})
