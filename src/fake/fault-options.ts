import type { FakeOperation } from './routes.ts'

/** A request as a fault's `when` sees it. */
export interface FakeRequest {
  operation: FakeOperation
  method: string
  url: string
  /** The path below the version prefix. */
  path: string
  query: Record<string, string>
  headers: Headers
  key: string | null
  /** How often this method and URL was asked for with this key, this time included. */
  attempt: number
}

/** Which requests a fault is for; what is left out does not matter. */
export interface FaultMatch {
  operation?: FakeOperation | readonly FakeOperation[]
  key?: string
  when?: (request: FakeRequest) => boolean
  /** Only the nth of the requests that match otherwise, counted from 1 since the fault was added. */
  nth?: number | readonly number[]
  /** How many requests it hits. @default 1; as many as `nth` lists; `Infinity` with a `probability` */
  times?: number
  /** The chance that a matching request is hit, 0 to 1, drawn from the fake's seed. @default 1 */
  probability?: number
}

/** What goes wrong. Several of these make one fault, where they do not exclude each other. */
export interface FaultEffects {
  /** Answer with this status instead of doing anything. Not charged, unless `charge` says that the answer was lost on its way. */
  status?: number
  /** Error code of the envelope. @default what the service uses with that status */
  code?: string
  /** Message of the envelope. */
  message?: string
  /** The whole body instead of the envelope; with `status`. */
  body?: unknown
  /** Headers to set on the answer; a list makes several lines. */
  headers?: Readonly<Record<string, string | readonly string[]>>
  /** Raw `Retry-After`, several lines for a list; `{ inMs }` is an HTTP-date that far ahead of the fake's time. */
  retryAfter?: string | readonly string[] | { inMs: number }
  /** Milliseconds until the answer, after the charge. */
  delayMs?: number
  /** No answer at all, after the charge, until the caller gives up. */
  never?: true
  /** The connection breaks before anything was done, or after the charge. */
  reset?: 'before' | 'after'
  /** The body ends early: after so many bytes, or below 1 after that fraction of it. */
  truncate?: number
  /** The body stops after so many bytes and the connection stays open. */
  stall?: number
  /** The body is not JSON. */
  malformed?: true
  /** A gateway's HTML page with this status instead of doing anything. Not charged, unless `charge` says so. */
  html?: number
  /** Credit headers left out, sent twice, or with these raw values. */
  creditHeaders?: 'missing' | 'duplicate' | { cost?: string; remaining?: string }
  /** Raw `Date` header, or one that is so many milliseconds off. */
  date?: string | { skewMs: number }
  /** Changes the body: gets the envelope and returns what is sent. */
  transform?: (body: unknown) => unknown
  /** Whether the call is executed and charged, where a fault leaves that open. */
  charge?: boolean
}

/** Options of `fake.fault`. */
export type FaultOptions = FaultMatch & FaultEffects

/** A fault in force. */
export interface FaultHandle {
  readonly id: number
  /** What it does, in a few words. */
  readonly label: string
  /** Requests it hit so far. */
  readonly hits: number
  /** Takes it out of force. */
  remove(): void
}
