import { History, type HistoryState } from './ledger.ts'
import type { FakeOperation } from './routes.ts'

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
  /** Number of requests with this method, URL and key so far, this one included. */
  attempt: number
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
  headers?: Record<string, string>
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
  max?: number
  /** Whether the headers of requests are listed. @default false */
  headers?: boolean
}

/** The fields that are known at arrival. */
type Arrival = Pick<JournalEntry, 'at' | 'method' | 'url' | 'path' | 'query' | 'operation' | 'key' | 'headers'> & {
  heavy: boolean
}

/** The state of a journal; plain data for snapshots. */
interface JournalState {
  history: HistoryState<JournalEntry>
  peaks: { all: number; heavy: number }
}

/** The requests of one session. The counts include requests that are no longer listed. */
export class Journal extends History<JournalEntry> {
  readonly #max: number
  readonly #attempts = new Map<string, number>()
  readonly #inFlight = new Set<JournalEntry>()
  readonly #heavyInFlight = new Set<JournalEntry>()
  #peaks = { all: 0, heavy: 0 }

  constructor(max: number) {
    super(max)
    this.#max = max
  }

  protected amountOf(): number {
    return 1
  }

  protected isSettled({ finished }: JournalEntry): boolean {
    return finished
  }

  start(given: Arrival): JournalEntry {
    const { heavy, ...arrival } = given
    const group = groupOf(given)
    const attempt = (this.#attempts.get(group) ?? 0) + 1
    this.#noteAttempt(group, attempt)
    const inFlight = this.#inFlight.size + 1
    const heavyInFlight = this.#heavyInFlight.size + (heavy ? 1 : 0)
    const result = { status: null, code: null, fault: null, credits: 0, delivered: false, finished: false }
    const entry = this.add({ id: this.size + 1, ...arrival, attempt, inFlight, heavyInFlight, ...result })
    this.#inFlight.add(entry)
    if (heavy) this.#heavyInFlight.add(entry)
    this.#peaks.all = Math.max(this.#peaks.all, inFlight)
    this.#peaks.heavy = Math.max(this.#peaks.heavy, heavyInFlight)
    return entry
  }

  finish(entry: JournalEntry): void {
    entry.finished = true
    this.#inFlight.delete(entry)
    this.#heavyInFlight.delete(entry)
  }

  peak(heavy: boolean): number {
    return heavy ? this.#peaks.heavy : this.#peaks.all
  }

  save(): JournalState {
    return { history: this.saveHistory(), peaks: { ...this.#peaks } }
  }

  load({ history, peaks }: JournalState): void {
    this.loadHistory(history)
    this.#attempts.clear()
    // The listed requests hold their counts, so that a state needs no copy of these.
    for (const entry of history.entries) this.#noteAttempt(groupOf(entry), entry.attempt)
    this.#peaks = { ...peaks }
  }

  /** Counts a request; the count of the oldest URL is dropped with its entry. */
  #noteAttempt(group: string, attempt: number): void {
    this.#attempts.delete(group)
    this.#attempts.set(group, attempt)
    const [oldest] = this.#attempts.keys()
    if (this.#attempts.size > this.#max && oldest !== undefined) this.#attempts.delete(oldest)
  }
}

const groupOf = ({ method, url, key }: Arrival | JournalEntry) => `${method} ${url} ${key}`

/** A key that shows only its ends. */
export function maskKey(key: string): string {
  return key.length < 12 ? '***' : `${key.slice(0, 4)}***${key.slice(-2)}`
}
