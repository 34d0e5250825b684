import { expect, test } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { START } from '../support/clock.ts'
import { addresses, setup, watch } from '../support/setup.ts'

const HOUR = 3_600_000
const LIMIT = 6_000

test('a heavy queue over several windows: no window is charged more than the budget', async () => {
  const ledger = new Map<number, number>()
  const made = setup(
    (exchange) => {
      const window = Math.floor((made.clock.now() - START) / HOUR)
      ledger.set(window, (ledger.get(window) ?? 0) + 2_000)
      // The first one takes hours, so that a queue builds up; then the queue would empty itself within one window.
      void made.clock.sleep(exchange.number === 1 ? 5 * HOUR : 60_000).then(() => {
        if (exchange.open) exchange.answer(ok([], costs(2_000)))
      })
      return undefined
    },
    {
      budget: { credits: LIMIT, windowMs: HOUR },
      heavyConcurrency: 1,
      timeoutMs: 6 * HOUR,
      deadlineMs: 7 * HOUR,
    },
  )
  const { client, clock } = made
  const outcomes = []
  // Three calls fit into each window, and are queued in it; most are sent in a later one.
  for (let step = 0; step < 84; step++) {
    for (const token of addresses(3, step * 3)) outcomes.push(watch(client.locks.get({ address: token })))
    await clock.advance(300_000)
    const { spent, reserved, uncertain } = client.budget
    expect(spent + reserved + uncertain).toBeLessThanOrEqual(LIMIT)
  }
  await clock.advance(20 * HOUR)
  expect(Math.max(...ledger.values())).toBe(LIMIT)
  expect(ledger.size).toBeGreaterThan(2)
  expect(outcomes.filter(({ state }) => state === 'pending')).toEqual([])
  const refused = outcomes.flatMap(({ error }) => (error === undefined ? [] : [error]))
  for (const error of refused) expect(error).toMatchObject({ code: 'budget_exceeded', attempts: 0, charge: 'none' })
  expect(clock.pending).toBe(0)
})

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
