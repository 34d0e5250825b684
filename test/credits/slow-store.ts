import { type BudgetStore, createBudget } from '../../src/credits/budget.ts'
import { inAnotherProcess } from '../support/store.ts'
import { START, steadyClock, totals } from './budget-at.ts'

/** A store whose reads and writes end when the test says so. */
export function slowStore() {
  const map = new Map<string, string>()
  const writes: { end(): void; fail(reason: unknown): void }[] = []
  const store: BudgetStore = {
    get: (key) => Promise.resolve(map.get(key)),
    set: (key, value) =>
      new Promise<void>((resolve, reject) => {
        const end = () => {
          map.set(key, value)
          resolve()
        }
        writes.push({ end, fail: reject })
      }),
  }
  return { store, map, writes }
}

/** The totals that a process would find that starts now. */
export async function afterRestart(store: BudgetStore) {
  const budget = createBudget(
    { credits: 1000, store: inAnotherProcess(store) },
    steadyClock(() => START),
  )
  await budget.load()
  return totals(budget)
}
