import { checkValue } from './check.ts'
import { type FakeOperation, fakeRoutes } from './routes.ts'
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

type HistoryState<Entry> = { entries: Entry[]; dropped: number; sums: [group: string, sum: number][] }

/** The newest entries of a list, and the sums of all of them. */
export class History<Entry extends Classified> {
  readonly #max: number
  readonly #isSettled: (entry: Entry) => boolean
  #entries: Entry[] = []
  /** Entries that are not listed any more. */
  dropped = 0
  /** By operation, a space and the key; `unknown` and nothing for none. */
  #sums = new Map<string, number>()

  /** @param isSettled whether an entry does not change any more, so that all saved states share it */
  constructor(max: number, isSettled: (entry: Entry) => boolean) {
    this.#max = max
    this.#isSettled = isSettled
  }

  add(entry: Entry, amount: number): void {
    this.#entries.push(entry)
    const group = `${entry.operation ?? 'unknown'} ${entry.key ?? ''}`
    this.#sums.set(group, (this.#sums.get(group) ?? 0) + amount)
    if (this.#entries.length > this.#max) {
      this.#entries.shift()
      this.dropped++
    }
  }

  /** Copies of the listed entries. */
  list(filter?: FakeFilter): Entry[] {
    return this.#entries.filter(readFilter(filter)).map((one) => ({ ...one }))
  }

  /** Sums of all entries by operation, `unknown` for none; dropped ones included. */
  sums(filter?: FakeFilter): Record<string, number> {
    const isWanted = readFilter(filter)
    const found: Record<string, number> = {}
    for (const [group, amount] of this.#sums) {
      const [operation = '', ...key] = group.split(' ')
      if (amount === 0 || !isWanted({ operation, key: key.join(' ') })) continue
      found[operation] = (found[operation] ?? 0) + amount
    }
    return found
  }

  total(filter?: FakeFilter): number {
    return Object.values(this.sums(filter)).reduce((sum, one) => sum + one, 0)
  }

  get size(): number {
    return this.#entries.length + this.dropped
  }

  /** For snapshots. */
  get state(): HistoryState<Entry> {
    return { entries: this.#entries.map(this.#shared), dropped: this.dropped, sums: [...this.#sums] }
  }

  set state(state: HistoryState<Entry>) {
    this.#entries = state.entries.map(this.#shared)
    this.dropped = state.dropped
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

/** A request and its outcome. CORS preflights are not listed. */
export interface JournalEntry {
  /** 1, 2, 3 … in the order of arrival. */
  id: number
  /** When it arrived, unix milliseconds of the fake's time. */
  at: number
  /** HTTP method. */
  method: string
  /** The whole URL. */
  url: string
  /** The path below the version prefix. */
  path: string
  /** Query parameters. */
  query: Record<string, string>
  /** `null` if no route matched. */
  operation: FakeOperation | null
  /** The key of the request, masked unless the fake knows it; `null` without one. */
  key: string | null
  /** Requests in flight when it arrived, itself included. */
  inFlight: number
  /** Heavy requests among them. */
  heavyInFlight: number
  /** `null` until the answer, and if there was none. */
  status: number | null
  /** Code of the error; `null` for a success. */
  code: string | null
  /** Labels of the faults that hit it; `null` without one. */
  fault: string | null
  /** Charged credits. */
  credits: number
  /** Whether the whole answer was handed over. */
  delivered: boolean
  /** Whether nothing more follows. */
  finished: boolean
  /** Headers of the request, with `journal: { headers: true }`; the key is masked. */
  headers?: Record<string, string> | undefined
}

/**
 * Options of the journal and the ledger.
 *
 * @example
 * const fake = createFakeService({ journal: { max: 1_000, headers: true } })
 * await fake.fetch(`${fake.baseUrl}/openapi.json`, { headers: { 'x-trace': '7' } })
 * fake.journal()[0]?.headers // { 'x-trace': '7' }
 */
export interface JournalOptions {
  /** Number of requests and of charges that are listed. Sums include older ones. @default 10_000 */
  max?: number | undefined
  /** Whether the headers of requests are listed. @default false */
  headers?: boolean | undefined
}

type Arrival = Pick<JournalEntry, 'at' | 'method' | 'url' | 'path' | 'query' | 'operation' | 'key' | 'headers'>

/** The requests of one session. The counts include requests that are no longer listed. */
export class Journal extends History<JournalEntry> {
  readonly #inFlight = { all: 0, heavy: 0 }
  #peaks = { all: 0, heavy: 0 }

  constructor(max: number) {
    super(max, ({ finished }) => finished)
  }

  start(arrival: Arrival): JournalEntry {
    this.#inFlight.all++
    if (isHeavy(arrival)) this.#inFlight.heavy++
    const { all: inFlight, heavy: heavyInFlight } = this.#inFlight
    const result = { status: null, code: null, fault: null, credits: 0, delivered: false, finished: false }
    const entry = { id: this.size + 1, ...arrival, inFlight, heavyInFlight, ...result }
    this.add(entry, 1)
    const { all, heavy } = this.#peaks
    this.#peaks = { all: Math.max(all, inFlight), heavy: Math.max(heavy, heavyInFlight) }
    return entry
  }

  finish(entry: JournalEntry): void {
    entry.finished = true
    this.#inFlight.all--
    if (isHeavy(entry)) this.#inFlight.heavy--
  }

  peak(isHeavy: boolean): number {
    return isHeavy ? this.#peaks.heavy : this.#peaks.all
  }

  override get state(): HistoryState<JournalEntry> & { peaks: { all: number; heavy: number } } {
    return { ...super.state, peaks: this.#peaks }
  }

  override set state(state) {
    super.state = state
    this.#peaks = state.peaks
  }
}

/** Whether a request needs one of the heavy slots. */
export function isHeavy({ operation }: Pick<JournalEntry, 'operation'>): boolean {
  return operation !== null && fakeRoutes[operation].heavy === true
}

/** The status and the code of an answer, for a message. */
export function outcomeOf({ status, code }: JournalEntry): string {
  return `${status ?? 'no answer'}${code === null ? '' : ` ${code}`}`
}

/** A key that shows only its ends. */
export function maskKey(key: string): string {
  return key.length < 12 ? '***' : `${key.slice(0, 4)}***${key.slice(-2)}`
}
