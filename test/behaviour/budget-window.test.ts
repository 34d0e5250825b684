import { BudgetExceededError } from 'etn-market'
import { expect, test } from 'vitest'
import { costs, networkError, ok, price } from '../support/answers.ts'
import { START } from '../support/clock.ts'
import { address, addresses, rejection, setup, watch } from '../support/setup.ts'

const WINDOW = 60_000
const good = () => ok(price(address(1)), costs(50))
const budget = { credits: 100, windowMs: WINDOW }

test('a new window starts with the full budget', async () => {
  const { client, clock } = setup(good, { budget })
  await client.token.price({ address: address(1) })
  await client.token.price({ address: address(2) })
  await rejection(client.token.price({ address: address(3) }), BudgetExceededError)
  expect(client.budget.resetsAt).toBe(START + WINDOW)
  await clock.advance(WINDOW - 1)
  await rejection(client.token.price({ address: address(3) }), BudgetExceededError)
  await clock.advance(1)
  expect(client.budget).toMatchObject({ spent: 0, available: 100, resetsAt: START + 2 * WINDOW })
  await client.token.price({ address: address(3) })
})

test('unused windows do not shift the start of later windows', async () => {
  const { client, clock } = setup(good, { budget })
  await clock.advance(10.5 * WINDOW)
  expect(client.budget.resetsAt).toBe(START + 11 * WINDOW)
})

test('an answer counts in the window in which its request was sent', async () => {
  const { client, clock, script } = setup(undefined, { budget, timeoutMs: 2 * WINDOW, deadlineMs: 2 * WINDOW })
  const outcome = watch(client.token.price({ address: address(1) }))
  await clock.advance(WINDOW - 1)
  expect(client.budget.reserved).toBe(50)
  await clock.advance(1)
  expect(client.budget).toMatchObject({ spent: 0, reserved: 0, available: 100 })
  script.open[0]?.answer(good())
  await clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(client.budget).toMatchObject({ spent: 0, reserved: 0, available: 100 })
  expect(client.credits.charged).toBe(50)
})

test('an answer lost in the old window blocks nothing in the new window, where its retry is charged', async () => {
  const { client, clock, script } = setup(({ number }) => (number === 2 ? good() : undefined), {
    budget,
    timeoutMs: WINDOW,
    deadlineMs: 2 * WINDOW,
  })
  await clock.advance(1_000)
  const outcome = watch(client.token.price({ address: address(1) }))
  await clock.advance(WINDOW + 1_000)
  expect(outcome.state).toBe('resolved')
  expect(script.requests).toHaveLength(2)
  expect(client.budget).toMatchObject({ spent: 50, uncertain: 0, reserved: 0 })
})

test('uncertain credits stay blocked until their window ends', async () => {
  const { client, clock } = setup(() => networkError('ECONNRESET'), { budget, retry: false })
  watch(client.token.price({ address: address(1) }))
  await clock.advance(WINDOW - 1)
  expect(client.budget).toMatchObject({ uncertain: 50, available: 50 })
  await clock.advance(1)
  expect(client.budget).toMatchObject({ uncertain: 0, available: 100 })
})

test('a budget without a window never resets', async () => {
  const { client, clock } = setup(good, { budget: { credits: 50 } })
  await client.token.price({ address: address(1) })
  await clock.advance(1e12)
  expect(client.budget).toMatchObject({ available: 0, resetsAt: undefined })
})

const HOUR = 3_600_000

test('what no longer fits in the window of its turn fails, and the slot goes to the next', async () => {
  const { client, clock, script } = setup(undefined, {
    budget: { credits: 6_000, windowMs: HOUR },
    heavyConcurrency: 1,
    timeoutMs: 2 * HOUR,
    deadlineMs: 3 * HOUR,
  })
  const outcomes = addresses(3).map((token) => watch(client.locks.get({ address: token })))
  await clock.advance(HOUR)
  // The new window is used up by light calls before the first heavy one is answered.
  const light = addresses(2).map((token) => watch(client.balances.get({ address: token })))
  await clock.advance(0)
  expect(client.budget.reserved).toBe(5_600)
  script.open[0]?.answer(ok([], costs(2_000)))
  await clock.advance(0)
  expect(outcomes.map(({ state }) => state)).toEqual(['resolved', 'rejected', 'rejected'])
  for (const { error } of outcomes.slice(1)) {
    expect(error).toMatchObject({ code: 'budget_exceeded', attempts: 0, charge: 'none', credits: 0 })
    expect((error as Error).message).toContain('Nothing was sent.')
  }
  expect(light.map(({ state }) => state)).toEqual(['pending', 'pending'])
  expect(script.requests).toHaveLength(3)
})
