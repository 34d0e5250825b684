import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { useFakeTimers } from '../support/fake-timers.ts'
import { testProperty } from '../support/property.ts'
import { START, steadyClock } from './budget-at.ts'

const LIMIT = 400
const OPTIONS = { credits: LIMIT, windowMs: 86_400_000 }
const clock = steadyClock(() => START)

/** What outlives a process: the store of its budget, and what the service has charged. */
function machine() {
  const store = new Map<string, string>()
  let charged = 0

  /** Makes requests until it is killed at a step: nothing after that has an effect. Resolves with the steps, or why it has ended. */
  async function run(killAt: number, exclusiveKey: boolean): Promise<number | string> {
    let passed = 0
    const step = () => {
      if (++passed >= killAt) throw new Error('killed')
    }
    const own = {
      get: (key: string) => store.get(key),
      set(key: string, value: string) {
        step()
        store.set(key, value)
        step()
      },
    }
    const budget = createBudget({ ...OPTIONS, exclusiveKey, store: own }, clock)
    /** The worst case of each request is 50; the service charges 40. */
    const request = async (how: 'answered' | 'lost') => {
      const reservation = await budget.reserve(50)
      step()
      await reservation.confirm({}, 'the key')
      step()
      charged += 40
      step()
      if (how === 'answered') reservation.settle(40, { remaining: 1_000_000 - charged })
      else reservation.markUncertain()
      step()
    }
    try {
      await request('answered')
      await budget.flush()
      await Promise.all([request('answered'), request('lost'), request('answered')])
      await request('answered')
      await budget.flush()
      return passed
    } catch (error) {
      return (error as Error).name
    }
  }

  async function expectSafe(message: string): Promise<void> {
    const budget = createBudget({ ...OPTIONS, store: new Map(store) }, clock)
    await budget.load()
    const { spent, reserved, uncertain } = budget
    expect(reserved, message).toBe(0)
    expect(spent + uncertain, message).toBeGreaterThanOrEqual(charged)
    expect(spent + uncertain, message).toBeLessThanOrEqual(LIMIT)
  }

  return { run, expectSafe, charged: () => charged }
}

test.each([true, false])(
  'killed between any two steps, a restart counts all that was charged, and never more than the limit (exclusiveKey: %s)',
  async (exclusiveKey) => {
    // A write that has failed is tried again later, which a killed process cannot do.
    useFakeTimers()
    const steps = Number(await machine().run(Number.POSITIVE_INFINITY, exclusiveKey))
    expect(steps).toBeGreaterThan(30)
    for (let killAt = 1; killAt <= steps; killAt++) {
      const { run, expectSafe } = machine()
      expect(await run(killAt, exclusiveKey)).toMatch(/Error$/)
      await expectSafe(`step ${killAt}`)
    }
  },
)

testProperty(
  'killed again and again, it ends with a budget that is used up, not exceeded',
  fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 5, maxLength: 10 }), async (kills) => {
    useFakeTimers()
    const { run, expectSafe, charged } = machine()
    for (const killAt of kills) {
      await run(killAt, false)
      await expectSafe(`${kills}, after ${killAt}`)
    }
    for (let time = 0; time < 2; time++) await run(Number.POSITIVE_INFINITY, false)
    expect(await run(Number.POSITIVE_INFINITY, false)).toBe('BudgetExceededError')
    expect(charged()).toBeGreaterThan(0)
    await expectSafe('at the end')
  }),
  { cases: 10 },
)
