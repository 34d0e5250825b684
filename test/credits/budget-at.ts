import { type BudgetOptions, createBudget } from '../../src/credits/budget.ts'

export const START = 1_800_000_000_000

/** A budget whose time stands still until a test moves it. */
export function budgetAt(options: BudgetOptions & { store?: undefined }) {
  const { clock, pass } = wallClock()
  return { budget: createBudget(options, clock), pass }
}

/** A clock of which no reading differs from another. */
export const steadyClock = (now: () => number) => ({ now, monotonic: now })

export function wallClock() {
  let now = START
  const pass = (ms: number) => {
    now += ms
  }
  return { clock: steadyClock(() => now), pass }
}

type Totals = Record<'spent' | 'reserved' | 'uncertain' | 'available', number>

export const totals = ({ spent, reserved, uncertain, available }: Totals) => ({ spent, reserved, uncertain, available })
