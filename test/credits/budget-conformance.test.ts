import { describe } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { joinBudgets } from '../../src/credits/joint-budget.ts'
import { Account } from '../../src/proxy/account.ts'
import { CallLimit, createSweepLimit } from '../../src/sweep/sweep-limit.ts'
import { type BudgetUnderTest, LIMIT, testBudget, WINDOW_MS } from '../support/budget-conformance.ts'
import { START, totals } from './budget-at.ts'

function testClock() {
  let elapsed = 0
  // Stored windows begin at multiples of their length.
  const origin = START - (START % WINDOW_MS)
  return {
    clock: { now: () => origin + elapsed, monotonic: () => elapsed },
    pass: (ms: number) => {
      elapsed += ms
    },
  }
}

function memory(credits = LIMIT) {
  const { clock, pass } = testClock()
  const budget = createBudget({ credits, windowMs: WINDOW_MS }, clock)
  return { budget, pass, totals: async () => totals(budget) }
}

function stored(credits = LIMIT) {
  const { clock, pass } = testClock()
  const budget = createBudget({ credits, windowMs: WINDOW_MS, store: new Map() }, clock)
  return { budget, pass, totals: async () => totals(budget) }
}

/** The second budget has room for everything; both have the same time. */
function joined(
  tight: ReturnType<typeof memory | typeof stored>,
  wide: ReturnType<typeof memory | typeof stored>,
  isFirst: boolean,
): BudgetUnderTest {
  const budget = isFirst ? joinBudgets(tight.budget, wide.budget) : joinBudgets(wide.budget, tight.budget)
  return {
    budget,
    totals: tight.totals,
    pass(ms) {
      tight.pass(ms)
      wide.pass(ms)
    },
  }
}

const WIDE = 1_000_000

describe('a budget in memory', () => testBudget(async () => memory()))

describe('a budget with exclusiveKey', () =>
  testBudget(async () => {
    const { clock, pass } = testClock()
    const budget = createBudget({ credits: LIMIT, windowMs: WINDOW_MS, exclusiveKey: true }, clock)
    return { budget, pass, totals: async () => totals(budget) }
  }))

describe('a budget with a store', () =>
  testBudget(async () => {
    const made = stored()
    await made.budget.load()
    return made
  }))

describe('a budget with a store and exclusiveKey', () =>
  testBudget(async () => {
    const { clock, pass } = testClock()
    const options = { credits: LIMIT, windowMs: WINDOW_MS, store: new Map(), exclusiveKey: true }
    const budget = createBudget(options, clock)
    await budget.load()
    return { budget, pass, totals: async () => totals(budget) }
  }))

describe.each([true, false])('joined budgets, the tight one first: %s', (isFirst) => {
  describe('in memory', () => testBudget(async () => joined(memory(), memory(WIDE), isFirst)))
  describe('with stores', () =>
    testBudget(async () => {
      const [tight, wide] = [stored(), stored(WIDE)]
      await tight.budget.load()
      await wide.budget.load()
      return joined(tight, wide, isFirst)
    }))
})

describe("a visitor's budget beside that of a proxy", () =>
  testBudget(
    async () => {
      const [visitor, total] = [memory(), memory(WIDE)]
      const pass = (ms: number) => {
        visitor.pass(ms)
        total.pass(ms)
      }
      return { budget: new Account(visitor.budget, total.budget), totals: visitor.totals, pass }
    },
    // The client's own budget has the true figure.
    { recordsMoreThanReserved: false },
  ))

describe('the limit of a sweep', () =>
  testBudget(
    async () => {
      const ledger = createBudget({ credits: Number.POSITIVE_INFINITY, store: new Map() })
      const limit = createSweepLimit(ledger, LIMIT)
      await limit.load()
      const read = async () => ({ ...totals(ledger), available: limit.leftBeside(0) })
      return { budget: new CallLimit(limit), totals: read }
    },
    { canPass: false },
  ))
