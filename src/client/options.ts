import type { Clock } from '../concurrency/clock.ts'
import type { Budget, BudgetOptions } from '../credits/budget.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { OperationId } from '../generated/operations.ts'
import type { Hooks } from '../transport/hooks.ts'
import type { FetchLike, Transport } from '../transport/transport.ts'
import type { ClientEvent } from './events.ts'

export type {
  AfterResponseHook,
  BeforeRequestHook,
  BeforeRequestState,
  Hooks,
  RequestContext,
} from '../transport/hooks.ts'
export type * from '../transport/transport.ts'

/** What happens to a success whose body does not match the contract. */
export type ValidateMode = 'strict' | 'warn' | 'off'

/** What an abort does to a request that is sent already. */
export type WhenAborted = 'cancel' | 'finish'

/** How often, and after which waits, failed attempts are repeated. */
export interface RetryOptions {
  /** Retries after the first attempt; 0 means none. @default 2 */
  limit?: number | undefined
  /** If `Retry-After` is longer than this, the call rejects at once; `error.retryAfterMs` has the delay. Milliseconds. @default 60_000 */
  maxRetryAfterMs?: number | undefined
}

/** Anything that stores a text under a key for `ttl` milliseconds; Keyv is one. */
export interface CacheStore {
  /** The text under the key, or undefined; a promise of it, too. */
  get(key: string): unknown
  /** Stores a text under the key for `ttl` milliseconds. */
  set(key: string, value: string, ttl: number): unknown
  /** Removes the text under the key. */
  delete(key: string): unknown
}

/** Operations whose answers are the same for every key, so that they can be cached. */
export type CacheableOperation = Exclude<OperationId, 'account.me'>

/** Which answers are cached, how long and where. */
export interface CacheOptions {
  /** How long answers of an operation stay fresh, counted from the request: finite milliseconds. Operations that are not named, or have 0, are not cached. */
  ttlMs: Readonly<Partial<Record<CacheableOperation, number | undefined>>>
  /** Where they are kept. @default memory, at most 1,000 answers */
  store?: CacheStore | undefined
}

/** Headers of a request. A value that is undefined is left out. */
export type HeadersOption = Headers | Readonly<Record<string, string | undefined>> | [name: string, value: string][]

/** Which lines are printed: each level includes those before it. `off` prints nothing, whatever the environment says. */
export type LogLevel = 'off' | 'warn' | 'info' | 'debug'

/** Where lines go, such as `console`, or a logger of pino or winston. */
export interface Logger {
  /** Prints a line about a step of a call. */
  debug(line: string): unknown
  /** Prints a line about a request that has ended. */
  info(line: string): unknown
  /** Prints a line about what went wrong. */
  warn(line: string): unknown
}

/** Options of `createClient`. */
export interface ClientOptions {
  /**
   * The API key, or a function that returns it, called before each request. A call to the public service without a key rejects with
   * AuthenticationError before it is sent. @default ETN_MARKET_API_KEY, where there is an environment
   */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Address of the service up to and including its version. @default ETN_MARKET_BASE_URL, else the public service */
  baseUrl?: string | undefined
  /**
   * A standard `fetch` to send requests through. It is called with the URL and an init, and resolves to a `Response`.
   * @default globalThis.fetch, looked up at each call
   */
  fetch?: FetchLike | undefined
  /** Functions to call before each request and after each response; ky runs them. */
  hooks?: Hooks | undefined
  /** Headers of your own for every request. `Authorization` is not accepted: the key is `apiKey`. @default `User-Agent: etn-market/0.1.0 node/20` on Node, Bun and Deno */
  headers?: HeadersOption | undefined
  /**
   * Sends requests in place of ky and `fetch`, such as `createNodeTransport()` from `etn-market/node`. It has no hooks, so it cannot
   * be given together with `fetch` or `hooks`.
   * @default ky, which sends through `fetch`
   */
  transport?: Transport | undefined
  /** How long one attempt may take, from sending to the last byte. Milliseconds, above 0. @default 15_000 */
  timeoutMs?: number | undefined
  /**
   * How long a whole call may take with cool-downs, attempts and retry waits, in milliseconds. Time in the
   * queue for one of the client's own slots does not count while other requests are answered; a call that waits behind silent ones
   * rejects. @default 60_000
   */
  deadlineMs?: number | undefined
  /** How often failed attempts are repeated, or false for exactly one attempt. */
  retry?: RetryOptions | false | undefined
  /** Heavy calls in flight at most; the service allows two across all its users. @default 2 */
  heavyConcurrency?: number | undefined
  /** Chunks of one `prices.batch` in flight at most. @default 4 */
  batchConcurrency?: number | undefined
  /**
   * The most bytes that an answer may have, after decompression. A larger one rejects with ResponseError and the code `response_too_large`; it is not
   * retried, and counts with the cost in its header, else with the worst case. An answer of over 128 kB with more than 50,000 values is rejected in
   * the same way, because parsing 16 MB of `{},` blocks the event loop for seconds. A limit above 20 MB allows one value for each 400 bytes. The
   * largest real answer has 84 kB and 3,500 values. @default 16_777_216
   */
  maxResponseBytes?: number | undefined
  /**
   * A limit in credits. `{ creditsPerDay }`, or `{ credits, windowMs }`, is kept in memory while this process lives: each process has its own, and a
   * restart resets it. With a `store` it outlives the process, and all clients with that store and `name` share it. `createBudget` makes a budget for
   * several clients; with a `store`, call `await budget.load()` before you read its totals. @default no limit
   */
  budget?: Budget | BudgetOptions | undefined
  /**
   * Shares the budget, the limit of heavy calls and the cool-downs with other processes: `createRedisFleet()` from `etn-market/redis`. It is
   * given instead of `budget` and `heavyConcurrency`. `client.budget` then has the totals of the last answer; `fleet.status()` asks.
   * @default the client shares nothing
   */
  fleet?: Fleet | undefined
  /** Which answers are cached, how long and where. @default nothing is cached */
  cache?: CacheOptions | undefined
  /** 'strict': reject with ResponseError. 'warn': raise the event `response.mismatch` and return the data. 'off': do not check. @default 'warn' */
  validate?: ValidateMode | undefined
  /**
   * What an abort does to a request that is sent already. 'cancel': the request ends, and its cost is unknown. 'finish': the call also rejects at
   * once, but the answer is read to its end. So its cost is known, and the answer serves the next caller and the cache. A failed attempt is not
   * repeated then. In both cases, what is not sent yet is never sent, and `close()` ends everything. @default 'cancel'
   */
  whenAborted?: WhenAborted | undefined
  /**
   * Prints a line for each request: operation, status, milliseconds, credits; never the key. `'warn'` prints what went wrong, `'info'` also each
   * request that has ended, `'debug'` also every other event. @default ETN_MARKET_LOG, where there is an environment; else nothing
   */
  logLevel?: LogLevel | undefined
  /** Where the lines of `logLevel` go. @default standard error; in a page, an app or a Worker, the console */
  logger?: Logger | undefined
  /** A listener for events. What it throws is ignored. */
  onEvent?: ((event: ClientEvent) => void) | undefined
  /** The clock; tests can pass that of the fake. @default real time */
  clock?: Clock | undefined
}

/** Options of one call. Each one that is given overrides the client's. */
export interface CallOptions {
  /** Aborts the call: it rejects at once with `signal.reason`, and what was not sent yet is not sent. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take, from sending to the last byte of the body. Milliseconds, above 0. */
  timeoutMs?: number | undefined
  /**
   * How long the call may take with cool-downs, attempts and retry waits, milliseconds, above 0. Time in the queue for one of the client's own slots
   * does not count while other requests are answered. A batch of several requests rejects at the latest this long after its last answer.
   */
  deadlineMs?: number | undefined
  /** How often a failed attempt is repeated, or false for exactly one attempt. What is left out is the client's. */
  retry?: RetryOptions | false | undefined
  /**
   * Headers of your own for this call, beside the client's. `Authorization` is not accepted. Only calls with equal headers share a request; a cached
   * answer is returned whatever the headers are.
   */
  headers?: HeadersOption | undefined
  /** Whether a fresh answer of the cache may be returned. `'reload'` asks the service, and keeps its answer. @default 'default' */
  cache?: 'default' | 'reload' | undefined
  /** What happens to an answer that does not match the contract. */
  validate?: ValidateMode | undefined
  /** Whether a request that is sent already is cancelled by an abort, or read to its end. */
  whenAborted?: WhenAborted | undefined
}

/** Options of `prices.batch`. */
export interface BatchOptions extends CallOptions {
  /**
   * What happens when some requests of the batch fail. 'throw': the call rejects with PartialBatchError. 'return': it resolves to
   * `{ prices, missing, errors }`, with what arrived. @default 'throw'
   */
  partial?: 'throw' | 'return' | undefined
}

/** The query of `client.request()`. Undefined values are left out. */
export type RequestQuery = Readonly<Record<string, string | number | boolean | undefined>>

/** Options of `client.request()`. */
export interface RequestOptions extends CallOptions {
  /** Query parameters. */
  query?: RequestQuery | undefined
  /** The most that the call may cost, in credits: it is reserved, and counts as charged if the service does not state the cost. */
  maxCredits: number
}
