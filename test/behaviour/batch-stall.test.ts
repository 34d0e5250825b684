import { expect, test } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { addresses, setup, watch } from '../support/setup.ts'

test('a batch against a service that never answers sends nothing more after three requests in a row that timed out', async () => {
  const { client, clock, script } = setup(undefined, { budget: { credits: 1_000_000 } })
  const outcome = watch(client.prices.batch({ addresses: addresses(1_000) }))
  await clock.advance(14_999)
  expect(script.requests).toHaveLength(4)
  await clock.advance(60_000)
  expect(script.requests).toHaveLength(4)
  expect(outcome.error).toMatchObject({ name: 'PartialBatchError', attempts: 4, charge: 'unknown' })
  const { missing, errors } = outcome.error as { missing: string[]; errors: { code: string }[] }
  expect(missing).toHaveLength(1_000)
  expect(new Set(errors.map(({ code }) => code))).toContain('batch_stopped')
  expect(client.budget).toMatchObject({ reserved: 0, uncertain: 4 * 600 })
  expect(clock.pending).toBe(0)
})

test('answers to other calls keep no batch alive that has none', async () => {
  const isOther = ({ url }: { url: URL }) => url.pathname.endsWith('/etn')
  const handler = (request: { url: URL }) => (isOther(request) ? ok({ usd: '1' }, costs(25)) : undefined)
  const { client, clock, script } = setup(handler, { deadlineMs: 40_000, timeoutMs: 100_000 })
  const outcome = watch(client.prices.batch({ addresses: addresses(1_000) }))
  for (let round = 0; round < 8; round++) {
    await clock.advance(4_999)
    await client.etn.price()
    expect(outcome.state).toBe('pending')
  }
  await clock.advance(8)
  expect(outcome.state).toBe('rejected')
  expect(script.requests.filter((request) => !isOther(request))).toHaveLength(4)
})

test('a batch that was answered at first rejects deadlineMs after its last answer', async () => {
  const handler = ({ number }: { number: number }) => (number <= 6 ? ok({}, costs(600)) : undefined)
  const { client, clock, script } = setup(handler, { deadlineMs: 30_000, timeoutMs: 100_000 })
  const outcome = watch(client.prices.batch({ addresses: addresses(1_000) }))
  await clock.advance(29_999)
  expect(script.requests).toHaveLength(10)
  expect(outcome.state).toBe('pending')
  await clock.advance(1)
  expect(outcome.error).toMatchObject({ name: 'PartialBatchError', credits: 3_600 })
})

test('a slow batch whose requests are answered takes longer than deadlineMs, and has everything', async () => {
  const { client, clock, script } = setup(undefined, { deadlineMs: 20_000 })
  const outcome = watch(client.prices.batch({ addresses: addresses(1_000) }))
  for (let round = 0; round < 5; round++) {
    await clock.advance(10_000)
    for (const exchange of script.open) exchange.answer(ok({}, costs(600)))
  }
  await clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(script.requests).toHaveLength(20)
})
