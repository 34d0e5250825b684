import { InvalidRequestError } from '../errors/input.ts'
import { once } from '../utils/once.ts'
import type { BudgetStore, OpenedBudget, StoredBudget } from './budget.ts'
import { createMemoryBudget } from './budget-core.ts'
import { createStoredBudget, type StoredCounts } from './stored-budget.ts'

/** The options of a stored budget, every default filled in. `ttlMs` says for how long the store has to keep what is written. */
export interface EntryOptions {
  readonly store: BudgetStore
  readonly key: string
  readonly credits: number
  readonly windowMs: number | undefined
  readonly storeTimeoutMs: number
  readonly exclusiveKey: boolean
  readonly maxChargeDelayMs: number
  readonly ttlMs: number | undefined
}

export type StoredEntry = Required<Pick<OpenedBudget, 'readAgain'>> & { readonly budget: StoredBudget }

/** Registered, because an application may load both copies of the package. The number is that of the form of an entry. */
const OPEN_ENTRIES = Symbol.for('etn-market.open-entries.1')

type OpenEntry = StoredEntry & { readonly options: EntryOptions; users: number }

/**
 * A budget in memory, or the one budget of an entry in this process: several would overwrite each other's counts. It is forgotten when all who
 * opened it have closed it.
 * @param options undefined without a store
 * @param begin makes empty counts
 * @throws InvalidRequestError where it is open with other options
 */
export function openCounts(options: EntryOptions | undefined, begin: () => StoredCounts): OpenedBudget {
  if (options === undefined) return { budget: createMemoryBudget(begin()), close: async () => {} }
  const { store, key } = options
  const registry = globalThis as { [OPEN_ENTRIES]?: WeakMap<BudgetStore, Map<string, OpenEntry>> }
  registry[OPEN_ENTRIES] ??= new WeakMap()
  const entries = registry[OPEN_ENTRIES].get(store) ?? new Map<string, OpenEntry>()
  registry[OPEN_ENTRIES].set(store, entries)
  const entry = entries.get(key) ?? { ...createStoredBudget(options, begin), options, users: 0 }
  requireEqual(entry.options, options)
  entries.set(key, entry)
  entry.users++
  const end = () => {
    if (--entry.users === 0) entries.delete(key)
  }
  const { budget, readAgain } = entry
  return { budget, readAgain, close: once(() => budget.flush().finally(end)) }
}

function requireEqual(open: EntryOptions, options: EntryOptions): void {
  const names = (Object.keys(options) as (keyof EntryOptions)[]).filter((name) => options[name] !== open[name])
  if (names.length === 0) return
  const differences = names.map((name) => `${name} is ${options[name]} here and ${open[name]} there`).join(', ')
  const message = `The budget "${options.key}" is open in this store with other options: ${differences}. Give the same ones, or another name.`
  throw new InvalidRequestError(message, { code: 'invalid_option' })
}
