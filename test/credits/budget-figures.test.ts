import { expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'

// What an answer states is in `test/behaviour/charged.test.ts`, and what a budget makes of it in `test/support/budget-conformance.ts`.

const LARGEST = Number.MAX_SAFE_INTEGER
const DAY = 86_400_000
const now = () => Date.UTC(2026, 10, 20)
const index = Math.floor(now() / DAY)

/** A budget after a restart that finds this entry. */
async function loaded(entry: object, exclusiveKey = false) {
  const store = new Map([['etn-market:budget', JSON.stringify({ windowMs: DAY, current: index, ...entry })]])
  const budget = createBudget({ credits: 1_000, windowMs: DAY, store, exclusiveKey }, { now })
  await budget.load()
  return budget
}

test.each([
  [1, { index }],
  [2, { start: index * DAY, end: (index + 1) * DAY, countsUntil: null }],
])('a figure of an entry of version %i that leaves the safe integers is read, and counts as used up', async (v, at) => {
  const counts = { spent: 9_007_199_254_741_042, reserved: 0, uncertain: 0 }
  expect(await loaded({ v, windows: [{ ...at, ...counts }] })).toMatchObject({ spent: LARGEST, available: 0 })
})

test('an entry of the first version counts as it did, and its balance, which names no key, proves nothing', async () => {
  const windows = [
    { index: index - 1, spent: 500, reserved: 0, uncertain: 0 },
    { index, spent: 100, reserved: 20, uncertain: 3 },
  ]
  const keyBalance = { balance: 5_000, known: 0, index, provable: 3, doubt: 3, olderDoubt: 0 }
  const budget = await loaded({ v: 1, windows, keyBalance }, true)
  expect(budget).toMatchObject({ spent: 100, uncertain: 23 })
  const free = await budget.reserve(0)
  await free.confirm({}, 'a key')
  expect(free.settle(0, { remaining: 4_000 })).toBeUndefined()
})
