import { checkFilter, createHistory, type FakeFilter, type HistoryState } from './ledger.ts'
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

/** The requests of one session. The counts include requests that are no longer listed. */
export interface Journal {
  start(arrival: Arrival): JournalEntry
  finish(entry: JournalEntry): void
  list(filter?: FakeFilter): JournalEntry[]
  /** Number of requests by operation. */
  sums(filter?: FakeFilter): Record<string, number>
  readonly dropped: number
  peak(heavy: boolean): number
  save(): JournalState
  load(state: JournalState): void
}

export interface JournalState {
  history: HistoryState<JournalEntry>
  peaks: { all: number; heavy: number }
}

export function createJournal(max: number): Journal {
  const entries = createHistory<JournalEntry>(
    max,
    () => 1,
    ({ finished }) => finished,
  )
  const attempts = new Map<string, number>()
  const inFlight = { all: new Set<JournalEntry>(), heavy: new Set<JournalEntry>() }
  let peaks = { all: 0, heavy: 0 }

  const groupOf = ({ method, url, key }: Arrival | JournalEntry) => `${method} ${url} ${key}`

  /** Counts a request; the count of the oldest URL is dropped with its entry. */
  function countAttempt(arrival: Arrival): number {
    const group = groupOf(arrival)
    const attempt = (attempts.get(group) ?? 0) + 1
    noteAttempt(group, attempt)
    return attempt
  }

  function noteAttempt(group: string, attempt: number): void {
    attempts.delete(group)
    attempts.set(group, attempt)
    const [oldest] = attempts.keys()
    if (attempts.size > max && oldest !== undefined) attempts.delete(oldest)
  }

  return {
    start(given) {
      const { heavy, ...arrival } = given
      const attempt = countAttempt(given)
      const counts = { inFlight: inFlight.all.size + 1, heavyInFlight: inFlight.heavy.size + (heavy ? 1 : 0) }
      const result = { status: null, code: null, fault: null, credits: 0, delivered: false, finished: false }
      const entry = { id: entries.size + 1, ...arrival, attempt, ...counts, ...result }
      entries.add(entry)
      inFlight.all.add(entry)
      if (heavy) inFlight.heavy.add(entry)
      peaks.all = Math.max(peaks.all, entry.inFlight)
      peaks.heavy = Math.max(peaks.heavy, entry.heavyInFlight)
      return entry
    },
    finish(entry) {
      entry.finished = true
      inFlight.all.delete(entry)
      inFlight.heavy.delete(entry)
    },
    list: (filter) => entries.list(checkFilter(filter)),
    sums: (filter) => entries.sums(checkFilter(filter)),
    get dropped() {
      return entries.dropped
    },
    peak: (heavy) => (heavy ? peaks.heavy : peaks.all),
    save: () => ({ history: entries.save(), peaks: { ...peaks } }),
    load(state) {
      entries.load(state.history)
      attempts.clear()
      // The listed requests hold their counts, so that a state needs no copy of these.
      for (const entry of state.history.entries) noteAttempt(groupOf(entry), entry.attempt)
      peaks = { ...state.peaks }
    },
  }
}

/** A key that shows only its ends. */
export function maskKey(key: string): string {
  return key.length < 12 ? '***' : `${key.slice(0, 4)}***${key.slice(-2)}`
}
