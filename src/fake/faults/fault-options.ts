import type { FakeOperation } from '../rules/routes.ts'

/** A request as a fault's `when` sees it. */
export interface FakeRequest {
  /** The operation that the path names. */
  operation: FakeOperation
  /** HTTP method. */
  method: string
  /** The whole URL. */
  url: string
  /** The path below the version prefix. */
  path: string
  /** Query parameters. */
  query: Record<string, string>
  /** Request headers. */
  headers: Headers
  /** The key of the request; `null` without one. */
  key: string | null
  /** Number of requests with this method, URL and key so far, this one included. */
  attempt: number
}

/** Selects the requests of a fault. Without a field, all values match. */
export interface FaultMatch {
  /** Only requests of this operation, or of one of these. */
  operation?: FakeOperation | readonly FakeOperation[]
  /** Only requests with this key. */
  key?: string
  /** Only requests for which it returns `true`. */
  when?: (request: FakeRequest) => boolean | Promise<boolean>
  /** Only the nth request that matches otherwise, counted from 1 since the fault was added. */
  nth?: number | readonly number[]
  /** Number of requests it hits. @default 1; with `nth`, the length of its list; with `probability`, `Infinity` */
  times?: number
  /** Probability that a matching request is hit, 0 to 1, drawn from the seed. @default 1 */
  probability?: number
}

/** The effects of a fault. Effects that do not exclude each other can be combined. */
export interface FaultEffects {
  /** Answer with this status instead of executing the call. Not charged, unless `charge` is `true`: then the real answer got lost. */
  status?: number
  /** Error code of the envelope. @default the service's code for that status */
  code?: string
  /** Message of the envelope. */
  message?: string
  /** The whole body instead of the envelope; with `status`. */
  body?: unknown
  /** Headers to set on the answer; a list makes several lines. */
  headers?: Readonly<Record<string, string | readonly string[]>>
  /**
   * `Retry-After`: a number of seconds, raw text, several lines for a list, `{ inMs }` for an HTTP-date, `false` for none.
   * @default 1 for a 429 and for a 503 `server_busy`, else none
   */
  retryAfter?:
    | number
    | string
    | readonly string[]
    | {
        /** Milliseconds from the time of the fake. */
        inMs: number
      }
    | false
  /** Delay of the answer in milliseconds, after the charge. */
  delayMs?: number
  /** No answer, after the charge, until the caller gives up. */
  never?: true
  /** The connection breaks before the call is executed, or after the charge. */
  reset?: 'before' | 'after'
  /** The body ends early: after this number of bytes, or below 1 after that fraction of it. */
  truncate?: number
  /** The body stops after this number of bytes, and the connection stays open. */
  stall?: number
  /** The body is not JSON. */
  malformed?: true
  /** Answer with a gateway's HTML page and this status instead of executing the call. Not charged, unless `charge` is `true`. */
  html?: number
  /** Credit headers missing, sent twice, or with these raw values. */
  creditHeaders?:
    | 'missing'
    | 'duplicate'
    | {
        /** Raw `X-Credits-Cost`. */
        cost?: string | number
        /** Raw `X-Credits-Remaining`. */
        remaining?: string | number
      }
  /** `Date` header: raw text, unix milliseconds, or the right one plus `skewMs`. */
  date?:
    | string
    | number
    | {
        /** Milliseconds to add to the time of the fake. */
        skewMs: number
      }
  /** Changes the body: receives the envelope and returns the one to send. */
  transform?: (body: unknown) => unknown
  /** Whether the call is charged, for faults that do not determine it. */
  charge?: boolean
}

/**
 * Options of `fake.fault`.
 *
 * @example
 * fake.fault({ operation: 'locks.get', status: 503, retryAfter: 5 })
 * fake.fault({ operation: ['token.price', 'prices.batch'], reset: 'after', nth: [1, 3] }) // charged, and lost
 * fake.fault({ probability: 0.01, delayMs: 2_000 })
 * fake.fault({ when: ({ query }) => query.limit === '100', transform: (body) => ({ ...Object(body), data: [] }) })
 */
export type FaultOptions = FaultMatch & FaultEffects

/** A step of a script: the effects on one call, or none. */
export type ScriptStep = FaultEffects | 'ok'

/** Selects the requests of a script, beside its operation. */
export type ScriptOptions = Pick<FaultMatch, 'key' | 'when'>

/** A fault that was added. */
export interface FaultHandle {
  /** Number of the fault, in the order in which faults were added. */
  readonly id: number
  /** A short description. */
  readonly label: string
  /** Number of requests it hit so far. */
  readonly hits: number
  /** Removes the fault. */
  remove(): void
}
