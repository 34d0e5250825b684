import { checkValue } from './check.ts'
import type { FakeOperation } from './routes.ts'
import * as is from './schema.ts'

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
  operation?: FakeOperation | undefined
  /** Only this key. */
  key?: string | undefined
}

export const FILTER = { operation: is.operation, key: is.text }

/** The fields that entries are summed and selected by. */
interface Classified {
  operation: string | null
  key: string | null
}

/** The newest entries of a list, and the sums of all of them. */
export class History<Entry extends Classified> {
  readonly #max: number
  readonly #isSettled: (entry: Entry) => boolean
  #entries: Entry[] = []
  #dropped = 0
  /** The keys are JSON, because an operation and a key are any text. */
  #sums = new Map<string, number>()

  /** @param isSettled whether an entry does not change any more, so that all saved states share it */
  constructor(max: number, isSettled: (entry: Entry) => boolean) {
    this.#max = max
    this.#isSettled = isSettled
  }

  add(entry: Entry, amount: number): Entry {
    this.#entries.push(entry)
    const group = JSON.stringify([entry.operation, entry.key])
    this.#sums.set(group, (this.#sums.get(group) ?? 0) + amount)
    // Removing in bulk keeps the cost of an entry constant.
    if (this.#entries.length > this.#max + Math.min(this.#max, 1_000)) {
      this.#dropped += this.#entries.length - this.#max
      this.#entries = this.#entries.slice(this.#entries.length - this.#max)
    }
    return entry
  }

  /** Copies of the listed entries. */
  list(filter?: FakeFilter): Entry[] {
    const isWanted = readFilter(filter)
    const listed = this.#entries.slice(Math.max(0, this.#entries.length - this.#max))
    return listed.filter(isWanted).map((one) => ({ ...one }))
  }

  /** Sums of all entries by operation, `unknown` for none; dropped ones included. */
  sums(filter?: FakeFilter): Record<string, number> {
    const isWanted = readFilter(filter)
    const found: Record<string, number> = {}
    for (const [group, amount] of this.#sums) {
      const [operation, key] = JSON.parse(group) as [string | null, string | null]
      if (amount === 0 || !isWanted({ operation, key })) continue
      const name = operation ?? 'unknown'
      found[name] = (found[name] ?? 0) + amount
    }
    return found
  }

  total(filter?: FakeFilter): number {
    return Object.values(this.sums(filter)).reduce((sum, one) => sum + one, 0)
  }

  get size(): number {
    return this.#entries.length + this.#dropped
  }

  get dropped(): number {
    return this.#dropped + Math.max(0, this.#entries.length - this.#max)
  }

  save() {
    return { entries: this.#entries.map(this.#shared), dropped: this.#dropped, sums: [...this.#sums] }
  }

  load(state: ReturnType<History<Entry>['save']>): void {
    this.#entries = state.entries.map(this.#shared)
    this.#dropped = state.dropped
    this.#sums = new Map(state.sums)
  }

  readonly #shared = (entry: Entry): Entry => (this.#isSettled(entry) ? entry : { ...entry })
}

function readFilter(filter: FakeFilter = {}): (entry: Classified) => boolean {
  checkValue('filter', is.object(FILTER), filter)
  const { operation, key } = filter
  return (entry) =>
    (operation === undefined || entry.operation === operation) && (key === undefined || entry.key === key)
}
