import type { BudgetStore } from '../credits/budget.ts'

/** The answers of a sweep that outlive it. */
export interface SweepStore {
  /** The data that is stored; undefined where there is none that matches the contract. */
  read(key: string): Promise<{ readonly data: unknown } | undefined>
  /** Keeps data that matches the contract. */
  write(key: string, data: unknown): Promise<void>
}

export interface SweepStoreParts {
  readonly store: BudgetStore
  readonly keyPrefix: string
  /** Whether data matches the contract. */
  matches(data: unknown): boolean
  /** The error of a store that could not be read or written. */
  storeError(what: 'read' | 'written', cause: unknown): Error
}

export function createSweepStore({ store, keyPrefix, matches, storeError }: SweepStoreParts): SweepStore {
  async function access<T>(what: 'read' | 'written', run: () => T): Promise<Awaited<T>> {
    try {
      return await run()
    } catch (cause) {
      throw storeError(what, cause)
    }
  }

  return {
    async read(key) {
      const stored = await access('read', () => store.get(keyPrefix + key))
      const entry = typeof stored === 'string' ? parse(stored) : undefined
      return entry !== undefined && matches(entry.data) ? entry : undefined
    },
    async write(key, data) {
      if (matches(data)) await access('written', () => store.set(keyPrefix + key, JSON.stringify({ data })))
    },
  }
}

function parse(text: string): { readonly data: unknown } | undefined {
  try {
    return Object(JSON.parse(text))
  } catch {
    return undefined
  }
}
