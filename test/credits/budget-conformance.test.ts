import { describe } from 'vitest'
import { createBudget, openBudget } from '../../src/credits/budget.ts'
import { CallLimit, SWEEP_KEY } from '../../src/sweep/sweep-budget.ts'
import { type BudgetUnderTest, CHARGE_DELAY_MS, LIMIT, testBudget, WINDOW_MS } from '../support/budget-conformance.ts'
import { joinBudgets } from '../support/join-budgets.ts'
import { inAnotherProcess } from '../support/store.ts'
import { START, totals } from './budget-at.ts'

function testClock() {
  const time = { elapsed: 0, wallOffset: 0 }
  // Stored windows begin at multiples of their length.
  const origin = START - (START % WINDOW_MS)
  return {
    clock: { now: () => origin + time.elapsed + time.wallOffset, monotonic: () => time.elapsed },
    pass: (ms: number) => {
      time.elapsed += ms
    },
    stepWallClock: (ms: number) => {
      time.wallOffset += ms
    },
  }
}

interface Options {
  readonly credits?: number
  readonly exclusiveKey?: boolean
}

const proof = (exclusiveKey: boolean) => ({ exclusiveKey, maxChargeDelayMs: CHARGE_DELAY_MS })

function memory({ credits = LIMIT, exclusiveKey = false }: Options = {}) {
  const { clock, ...time } = testClock()
  const budget = createBudget({ credits, windowMs: WINDOW_MS, ...proof(exclusiveKey) }, clock)
  return { budget, ...time, totals: async () => totals(budget) }
}

async function stored({ credits = LIMIT, exclusiveKey = false }: Options = {}) {
  const { clock, ...time } = testClock()
  const store = new Map<string, string>()
  const start = async () => {
    const options = { credits, windowMs: WINDOW_MS, ...proof(exclusiveKey) }
    const budget = createBudget({ ...options, store: inAnotherProcess(store) }, clock)
    await budget.load()
    return { budget, ...time, totals: async () => totals(budget), restart: start }
  }
  return start()
}

/** The second budget has room for everything; both have the same time. */
function joined(tight: BudgetUnderTest, wide: BudgetUnderTest, isFirst: boolean): BudgetUnderTest {
  const budget = isFirst ? joinBudgets(tight.budget, wide.budget) : joinBudgets(wide.budget, tight.budget)
  return { ...inBoth(tight, wide), budget }
}

/** The time of both, and the totals of the first. */
function inBoth({ totals, ...one }: BudgetUnderTest, other: BudgetUnderTest) {
  return {
    totals,
    pass(ms: number) {
      one.pass(ms)
      other.pass(ms)
    },
    stepWallClock(ms: number) {
      one.stepWallClock(ms)
      other.stepWallClock(ms)
    },
  }
}

const WIDE = { credits: 1_000_000 }

describe('a budget in memory', () => testBudget(async () => memory()))

describe('a budget with exclusiveKey', () =>
  testBudget(async () => memory({ exclusiveKey: true }), { provesByBalance: true }))

describe('a budget with a store', () => testBudget(() => stored()))

describe('a budget with a store and exclusiveKey', () =>
  testBudget(() => stored({ exclusiveKey: true }), { provesByBalance: true }))

describe.each([true, false])('joined budgets, the tight one first: %s', (isFirst) => {
  describe('in memory', () => testBudget(async () => joined(memory(), memory(WIDE), isFirst)))
  describe('with stores', () => testBudget(async () => joined(await stored(), await stored(WIDE), isFirst)))
  describe('with exclusiveKey', () =>
    testBudget(async () => joined(memory({ exclusiveKey: true }), memory({ ...WIDE, exclusiveKey: true }), isFirst), {
      provesByBalance: true,
    }))
})

describe('the limit of a sweep', () =>
  testBudget(
    async () => {
      const { clock, ...time } = testClock()
      const store = new Map<string, string>()
      const start = async (): Promise<BudgetUnderTest> => {
        const unlimited = { credits: Number.POSITIVE_INFINITY, store: inAnotherProcess(store) }
        const { budget: sweeps } = openBudget(unlimited, clock, { key: SWEEP_KEY })
        await sweeps.load?.()
        const read = async () => {
          const { spent, reserved, uncertain } = sweeps
          return { spent, reserved, uncertain, available: Math.max(0, LIMIT - spent - reserved - uncertain) }
        }
        return { budget: new CallLimit(sweeps, LIMIT), totals: read, ...time, restart: start }
      }
      return start()
    },
    { isRenewed: false },
  ))
