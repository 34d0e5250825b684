import type { FakeOperation } from './routes.ts'
import { checkValue, object, operation, text } from './schema.ts'

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

/** The fields that entries are summed and selected by. */
interface Classified {
  operation: string | null
  key: string | null
}

interface Filter {
  operation?: string
  key?: string
}

/** The newest entries of a list, and the sums of all of them. */
export interface History<Entry> {
  add(entry: Entry): void
  /** Copies of the listed entries. */
  list(filter: Filter): Entry[]
  /** Sums of all entries by operation, `unknown` for none. */
  sums(filter: Filter): Record<string, number>
  /** Number of all entries, dropped ones included. */
  readonly size: number
  readonly dropped: number
  save(): HistoryState<Entry>
  load(state: HistoryState<Entry>): void
}

export interface HistoryState<Entry> {
  entries: readonly Entry[]
  dropped: number
  sums: readonly [string, number][]
}

/**
 * Creates a history that lists at most `max` entries; `amountOf` is what is summed. What is settled does not change any more, so that all
 * saved states share it.
 */
export function createHistory<Entry extends Classified>(
  max: number,
  amountOf: (entry: Entry) => number,
  isSettled: (entry: Entry) => boolean,
): History<Entry> {
  let entries: Entry[] = []
  let dropped = 0
  // The keys are JSON, because an operation and a key are any text.
  let sums = new Map<string, number>()

  const frozen = (entry: Entry): Entry => (isSettled(entry) ? entry : { ...entry })

  function matches(entry: Classified, { operation, key }: Filter): boolean {
    return (operation === undefined || entry.operation === operation) && (key === undefined || entry.key === key)
  }

  return {
    add(entry) {
      entries.push(entry)
      const group = JSON.stringify([entry.operation, entry.key])
      sums.set(group, (sums.get(group) ?? 0) + amountOf(entry))
      // Removing in bulk keeps the cost of an entry constant.
      if (entries.length <= max + Math.min(max, 1_000)) return
      dropped += entries.length - max
      entries = entries.slice(entries.length - max)
    },
    list: (filter) =>
      entries
        .slice(Math.max(0, entries.length - max))
        .filter((one) => matches(one, filter))
        .map((one) => ({ ...one })),
    sums(filter) {
      const found: Record<string, number> = {}
      for (const [group, amount] of sums) {
        const [operation, key] = JSON.parse(group) as [string | null, string | null]
        if (amount === 0 || !matches({ operation, key }, filter)) continue
        const name = operation ?? 'unknown'
        found[name] = (found[name] ?? 0) + amount
      }
      return found
    },
    get size() {
      return entries.length + dropped
    },
    get dropped() {
      return dropped + Math.max(0, entries.length - max)
    },
    save: () => ({ entries: entries.map(frozen), dropped, sums: [...sums] }),
    load(state) {
      entries = state.entries.map(frozen)
      dropped = state.dropped
      sums = new Map(state.sums)
    },
  }
}
