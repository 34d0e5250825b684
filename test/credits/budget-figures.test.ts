import { expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'

// What an answer states is in `test/behaviour/charged.test.ts`, and what a budget makes of it in `test/support/budget-conformance.ts`.

const DAY = 86_400_000
const now = () => Date.UTC(2026, 10, 20)

test('a figure of an entry that leaves the safe integers is read, and counts as used up', async () => {
  const window = { start: now(), end: now() + DAY, countsUntil: null }
  const counts = { spent: 9_007_199_254_741_042, reserved: 0, uncertain: 0 }
  const entry = JSON.stringify({ v: 3, windowMs: DAY, windows: [{ ...window, ...counts }] })
  const store = new Map([['etn-market:budget:default', entry]])
  const budget = createBudget({ credits: 1_000, windowMs: DAY, store }, { now, monotonic: now })
  await budget.load()
  expect(budget).toMatchObject({ spent: Number.MAX_SAFE_INTEGER, available: 0 })
})
