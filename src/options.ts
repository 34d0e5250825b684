import type { Clock } from './clock.ts'
import type { Budget, BudgetOptions } from './credits/budget.ts'
import type { ClientEvent } from './events.ts'
import type { OperationId } from './generated/operations.ts'

/** What becomes of a success whose body is not what the contract says. */
export type ValidateMode = 'strict' | 'warn' | 'off'

export interface RetryOptions {
  /** Retries after the first attempt; 0 means none. @default 2 */
  limit?: number | undefined
  /** A `Retry-After` longer than this is not waited for: the call fails at once and tells it. Milliseconds. @default 60_000 */
  maxRetryAfterMs?: number | undefined
}

/** Anything that stores a text under a key for `ttl` milliseconds; Keyv is one. */
export interface CacheStore {
  get(key: string): unknown
  set(key: string, value: string, ttl: number): unknown
  delete(key: string): unknown
}

/** Operations whose answers are the same for every key, so that they can be cached. */
export type CacheableOperation = Exclude<OperationId, 'account.me'>

export interface CacheOptions {
  /** How long the answers of an operation stay fresh, milliseconds. Operations not named are not cached. */
  ttlMs: { readonly [operation in CacheableOperation]?: number | undefined }
  /** Where they are kept. @default memory, at most 1,000 answers */
  store?: CacheStore | undefined
}

/** What the client needs of a `Response`; a real one will do. */
export interface FetchResponse {
  readonly status: number
  /** 'opaqueredirect' where a browser hides a redirect. */
  readonly type?: string
  /** Lines of one name are joined with a comma and a space. */
  readonly headers: { get(name: string): string | null }
  readonly body?: { cancel(): Promise<void> } | null
  text(): Promise<string>
}

/** A `fetch`: the global one, one of your own, or `fake.fetch`. It is handed a URL in text and an init with method, headers, signal and redirect. */
export type FetchLike = (url: string, init: RequestInit) => Promise<FetchResponse>

export interface ClientOptions {
  /** The API key, or a function that is asked before each request. @default ETN_MARKET_API_KEY, where there is an environment; else calls go out without one */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Address of the service up to and including its version. @default ETN_MARKET_BASE_URL, else the public service */
  baseUrl?: string | undefined
  /** @default globalThis.fetch, looked up at each call */
  fetch?: FetchLike | undefined
  /** How long one attempt may take, from sending to the last byte. Milliseconds, above 0. @default 15_000 */
  timeoutMs?: number | undefined
  /** How long a whole call may take with queueing, waits and all attempts. Milliseconds, above 0. @default 60_000 */
  deadlineMs?: number | undefined
  /** Or false for exactly one attempt. */
  retry?: RetryOptions | false | undefined
  /** Heavy calls in flight at most; the service allows two across all its users. @default 2 */
  heavyConcurrency?: number | undefined
  /** Chunks of one `prices.batch` in flight at most. @default 4 */
  batchConcurrency?: number | undefined
  /** A limit in credits, or a budget made by `createBudget` to share it. @default no limit */
  budget?: Budget | BudgetOptions | undefined
  /** @default nothing is cached */
  cache?: CacheOptions | undefined
  /** 'strict': reject with ResponseError. 'warn': raise the event `response.mismatch` and hand the data over. 'off': do not look. @default 'warn' */
  validate?: ValidateMode | undefined
  /** Is told what happens. What it throws is ignored. */
  onEvent?: ((event: ClientEvent) => void) | undefined
  /** @default real time */
  clock?: Clock | undefined
}

/** Options of one call; each overrides the client's. */
export interface CallOptions {
  /** Aborting it rejects the call at once with the signal's reason. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  deadlineMs?: number | undefined
  retry?: RetryOptions | false | undefined
  validate?: ValidateMode | undefined
}
