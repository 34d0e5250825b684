import type { BudgetStore, CacheStore } from 'etn-market'

/** A cache store like Keyv: asynchronous, with a time to live in milliseconds. */
export function createStore() {
  const calls: [string, unknown, number?][] = []
  const kept = new Map<string, string>()
  const store: CacheStore = {
    get: async (key) => kept.get(key),
    set: async (key, value, ttl) => {
      calls.push([key, value, ttl])
      kept.set(key, value)
      return true
    },
    delete: async (key) => kept.delete(key),
  }
  return { store, kept, calls }
}

/** A store as another process has it, or the same one after a restart: what is open belongs to the object. */
export const inAnotherProcess = (store: BudgetStore): BudgetStore => ({
  get: (key) => store.get(key),
  set: (key, value, ttl) => store.set(key, value, ttl),
})
