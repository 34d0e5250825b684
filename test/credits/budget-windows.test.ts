import { expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { flush } from '../support/clock.ts'
import { joinBudgets } from '../support/join-budgets.ts'
import { totals, wallClock } from './budget-at.ts'
import { slowStore } from './slow-store.ts'

const DAY = 86_400_000

test('a window that ends while another budget still writes counts what is sent in the next one', async () => {
  const { clock, pass } = wallClock()
  const { store, writes } = slowStore()
  const one = createBudget({ credits: 100, windowMs: 1_000 }, clock)
  const other = createBudget({ credits: 1_000, windowMs: DAY, store, exclusiveKey: true }, clock)
  await other.load()
  const reserving = joinBudgets(one, other).reserve(60)
  await flush()
  writes.shift()?.end()
  const reservation = await reserving
  // The name of the key is written before the request is sent.
  const confirming = Promise.resolve(reservation.confirm({}, 'key')).catch((error) => error)
  await flush()
  pass(1_000)
  one.reserve(70)
  writes.shift()?.end()
  expect(await confirming).toMatchObject({ code: 'budget_exceeded', needed: 60, available: 30 })
  reservation.release()
  expect(totals(one)).toEqual({ spent: 0, reserved: 70, uncertain: 0, available: 30 })
})
