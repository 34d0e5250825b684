import { expect, test } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { addresses, setup, watch } from '../support/setup.ts'

const HOUR = 3_600_000
const LIMIT = 6_000

test('what no longer fits in the window of its turn fails, and the slot goes to the next', async () => {
  const { client, clock, script } = setup(undefined, {
    budget: { credits: LIMIT, windowMs: HOUR },
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
