import type { StoredBudget } from '../../credits/budget.ts'

/** A budget whose totals are those of an empty one until it is loaded, instead of an error: the feed plans before it buys. */
export function emptyBeforeLoad(budget: StoredBudget): StoredBudget {
  const read = (name: 'spent' | 'reserved' | 'uncertain' | 'available', empty: number) => {
    try {
      return budget[name]
    } catch {
      return empty
    }
  }
  const { limit, check, reserve, load, flush } = budget
  return {
    limit,
    check,
    reserve,
    load,
    flush,
    get spent() {
      return read('spent', 0)
    },
    get reserved() {
      return read('reserved', 0)
    },
    get uncertain() {
      return read('uncertain', 0)
    },
    get available() {
      return read('available', limit)
    },
    get resetsAt() {
      return budget.resetsAt
    },
  }
}
