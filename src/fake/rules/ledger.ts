import { createHistory, type HistoryState } from './history.ts'
import type { FakeOperation } from './routes.ts'
import { checkValue, object, operation, text } from './schemas.ts'

/** A charge. It is made before the answer is delivered, so a lost answer was charged too. */
export interface Charge {
  /** The key that was charged. */
  key: string
  /** The operation that was charged. */
  operation: FakeOperation
  /** Items that were charged. */
  items: number
  /** Credits that were charged. */
  credits: number
  /** Whether the whole answer was handed over. */
  delivered: boolean
  /** When it was made, unix milliseconds of the fake's time. */
  at: number
  /** Number of the request in the journal. */
  request: number
}

/** Selects charges or requests. Without a field, all values match. */
export interface FakeFilter {
  /** Only this operation. */
  operation?: FakeOperation
  /** Only this key. */
  key?: string
}

export const FILTER = { operation, key: text }

/** The charges of one session. The sums include charges that are no longer listed. */
export interface Ledger {
  add(charge: Charge): Charge
  list(filter?: FakeFilter): Charge[]
  /** Charged credits by operation. */
  sums(filter?: FakeFilter): Record<string, number>
  total(filter?: FakeFilter): number
  save(): HistoryState<Charge>
  load(state: HistoryState<Charge>): void
}

export function createLedger(max: number): Ledger {
  const charges = createHistory<Charge>(
    max,
    ({ credits }) => credits,
    ({ delivered }) => delivered,
  )
  return {
    add(charge) {
      charges.add(charge)
      return charge
    },
    list: (filter) => charges.list(checkFilter(filter)),
    sums: (filter) => charges.sums(checkFilter(filter)),
    total: (filter) => Object.values(charges.sums(checkFilter(filter))).reduce((sum, one) => sum + one, 0),
    save: charges.save,
    load: charges.load,
  }
}

/** Rejects unknown fields and operations of a filter. */
export function checkFilter(filter: FakeFilter = {}): FakeFilter {
  checkValue('filter', object(FILTER), filter)
  return filter
}
