import type { FakeOperation } from './routes.ts'

/** A charge: made before the answer is delivered, so a lost answer was charged as well. */
export interface Charge {
  key: string
  operation: FakeOperation
  /** Items that were charged for. */
  items: number
  credits: number
  /** Whether the whole answer was handed over. */
  delivered: boolean
  /** When it was made, unix milliseconds of the fake's time. */
  at: number
  /** Number of the request in the journal. */
  request: number
}

/** Which charges or requests are meant; what is left out does not matter. */
export interface FakeFilter {
  operation?: FakeOperation
  key?: string
}

/** The charges of one run. */
export interface Ledger {
  add(charge: Charge): Charge
  list(filter?: FakeFilter): Charge[]
  total(filter?: FakeFilter): number
}

export function createLedger(): Ledger {
  const charges: Charge[] = []
  const matching = (filter: FakeFilter = {}) => charges.filter((charge) => fits(charge, filter))
  return {
    add(charge) {
      charges.push(charge)
      return charge
    },
    list: (filter) => matching(filter).map((charge) => ({ ...charge })),
    total: (filter) => matching(filter).reduce((sum, { credits }) => sum + credits, 0),
  }
}

/** Whether something is among what a filter means. */
export function fits(one: { operation: FakeOperation | null; key: string | null }, filter: FakeFilter): boolean {
  const { operation = one.operation, key = one.key } = filter
  return one.operation === operation && one.key === key
}
