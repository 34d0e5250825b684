import { type FakeFilter, fits } from './ledger.ts'
import type { FakeOperation } from './routes.ts'

/** A request that the service saw, and what became of it. CORS preflights are not listed. */
export interface JournalEntry {
  /** 1, 2, 3 … in the order of arrival. */
  id: number
  /** When it arrived, unix milliseconds of the fake's time. */
  at: number
  method: string
  url: string
  /** The path below the version prefix. */
  path: string
  query: Record<string, string>
  /** `null` when no route matched. */
  operation: FakeOperation | null
  /** The key it was made with; `null` without one. */
  key: string | null
  /** How often this method and URL was asked for with this key, this time included. */
  attempt: number
  /** Requests in flight when it arrived, itself included. */
  inFlight: number
  /** Heavy requests among them. */
  heavyInFlight: number
  /** `null` as long as there is no answer, and when there never was one. */
  status: number | null
  /** Code of the error, if it is one. */
  code: string | null
  /** What fault was played, if any. */
  fault: string | null
  /** Credits that were charged for it. */
  credits: number
  /** Whether the whole answer was handed over. */
  delivered: boolean
  /** Whether it is over, one way or another. */
  finished: boolean
}

/** What is known of a request when it arrives. */
type Arrival = Pick<JournalEntry, 'at' | 'method' | 'url' | 'path' | 'query' | 'operation' | 'key'> & {
  heavy: boolean
}

/** The requests of one run. */
export interface Journal {
  open(arrival: Arrival): JournalEntry
  close(entry: JournalEntry): void
  list(filter?: FakeFilter): JournalEntry[]
  peak(heavy: boolean): number
}

export function createJournal(): Journal {
  const entries: JournalEntry[] = []
  const attempts = new Map<string, number>()
  const flying = { all: new Set<JournalEntry>(), heavy: new Set<JournalEntry>() }
  const peaks = { all: 0, heavy: 0 }
  return {
    open({ heavy, ...arrival }) {
      const same = `${arrival.method} ${arrival.url} ${arrival.key}`
      const attempt = (attempts.get(same) ?? 0) + 1
      attempts.set(same, attempt)
      const counts = { inFlight: flying.all.size + 1, heavyInFlight: flying.heavy.size + (heavy ? 1 : 0) }
      const result = { status: null, code: null, fault: null, credits: 0, delivered: false, finished: false }
      const entry = { id: entries.length + 1, ...arrival, attempt, ...counts, ...result }
      entries.push(entry)
      flying.all.add(entry)
      if (heavy) flying.heavy.add(entry)
      peaks.all = Math.max(peaks.all, entry.inFlight)
      peaks.heavy = Math.max(peaks.heavy, entry.heavyInFlight)
      return entry
    },
    close(entry) {
      entry.finished = true
      flying.all.delete(entry)
      flying.heavy.delete(entry)
    },
    list: (filter = {}) => entries.filter((entry) => fits(entry, filter)).map((entry) => ({ ...entry })),
    peak: (heavy) => (heavy ? peaks.heavy : peaks.all),
  }
}
