import type { BudgetStore } from '../credits/budget.ts'
import { StateUnavailableError } from '../errors/state.ts'
import { answerGuards } from '../generated/guards.ts'
import type { OperationId } from '../generated/operations.ts'
import { isObject } from '../operations/type-guards.ts'

/** The answers of a sweep that outlive it. */
export interface SweepStore {
  /** The data that is stored; undefined where there is none that matches the contract. @throws StateUnavailableError */
  read(key: string): Promise<{ readonly data: unknown } | undefined>
  /** Keeps data that matches the contract. @throws StateUnavailableError */
  write(key: string, data: unknown): Promise<void>
}

export function createSweepStore(store: BudgetStore, operation: OperationId, prefix: string): SweepStore {
  const matches = (data: unknown) => answerGuards[operation]({ data })

  async function access<T>(what: string, run: () => T): Promise<Awaited<T>> {
    try {
      return await run()
    } catch (cause) {
      const message = `${operation}: the store of the sweep could not be ${what}, so no further call is made: an answer that is not kept would be paid for again.`
      throw new StateUnavailableError(message, { operation, cause })
    }
  }

  return {
    async read(key) {
      const stored = await access('read', () => store.get(prefix + key))
      const entry = typeof stored === 'string' ? parse(stored) : undefined
      return isObject(entry) && matches(entry.data) ? { data: entry.data } : undefined
    },
    async write(key, data) {
      if (matches(data)) await access('written', () => store.set(prefix + key, JSON.stringify({ data })))
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
