import type { Client } from '../client.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { Budget, BudgetOptions } from '../credits/budget.ts'
import type { PriceFeed } from '../feed/types.ts'
import type { OperationId } from '../generated/operations.ts'

/** An operation that visitors may use, with limits of its own. */
export interface AllowedOperation {
  /** The operation, such as `token.candles`. */
  operation: OperationId
  /** The highest `limit`. A call without one is sent with this limit. @default the operation's own maximum */
  limit?: number | undefined
  /** The most addresses of one `prices.batch`, at most 50; a batch of more is refused, not split. @default 50 */
  addresses?: number | undefined
  /**
   * The values of parameters that are accepted, such as `{ bucket: ['1h', '1d'] }`. A call without the parameter asks for the service's
   * default, which then has to be one of them. @default all values of the operation
   */
  values?: Readonly<Record<string, readonly (string | number)[]>> | undefined
  /**
   * How long an answer serves every visitor, in milliseconds; 0 to cache nothing.
   * @default 5 s for prices, 15 s for candles and histories, 60 s for lists and tokens, 5 min for NFTs, presales, farms and locks, 0
   * for balances and the account
   */
  cacheMs?: number | undefined
}

/** Who may call from another origin. */
export interface ProxyCorsOptions {
  /** Origins such as `https://dapp.example`, beside the proxy's own. */
  origins: readonly string[]
  /** Whether these origins may send cookies. @default false */
  credentials?: boolean | undefined
}

/** Options of the event stream at `{basePath}/stream`. */
export interface ProxyStreamOptions {
  /** The addresses that may be streamed. @default every address */
  addresses?: readonly string[] | undefined
  /** The most addresses of one stream. @default 50 */
  maxAddresses?: number | undefined
  /** The most open streams of one visitor; without `visitor`, of all together. @default 3 */
  maxPerVisitor?: number | undefined
  /** The shortest interval, in milliseconds; a smaller `everyMs` is raised. @default 5_000 */
  minEveryMs?: number | undefined
  /**
   * A stream without news sends a comment before it has been silent for this long, in milliseconds. Servers and proxies close silent
   * connections: Bun's after 10 seconds, unless it has an `idleTimeout` or this is `8_000`.
   * @default 15_000
   */
  heartbeatMs?: number | undefined
}

/** Options of `createProxy`. */
export interface ProxyOptions {
  /** Holds the key, and makes every call. It stays open when the proxy is closed. */
  client: Client
  /** What stands before the service's own paths, such as `/api/market`. @default '' */
  basePath?: string | undefined
  /** The operations that visitors may use. All others answer 403 `not_allowed`. */
  allow: readonly (OperationId | AllowedOperation)[]
  /**
   * Returns the identity of a visitor, 1 to 256 characters: a session, an account, or an address that your own server has put there.
   * Never the left end of `X-Forwarded-For`, which a visitor writes. If it throws or returns nothing, the answer is 403 `no_visitor`.
   * @default all visitors are one
   */
  visitor?: ((request: Request) => VisitorId | Promise<VisitorId>) | undefined
  /**
   * The credits of one visitor in a window, which begins with the first purchase. At most 100,000 visitors with spent credits are
   * remembered; while there are as many, further ones get cached answers only. @default no limit
   */
  perVisitor?:
    | {
        /** Credits in each window, a whole number. */
        credits: number
        /** Length of a window in milliseconds. */
        windowMs: number
      }
    | undefined
  /** The credits of all visitors together, or a budget made by `createBudget`. @default no limit */
  budget?: Budget | BudgetOptions | undefined
  /** @default pages of the same origin only */
  cors?: ProxyCorsOptions | undefined
  /**
   * Lets shared caches keep answers as long as they are fresh, `maxAgeMs` at most. Such an answer says `X-Credits-Cost: 0`, and a copy
   * from the cache reaches visitors without a look at who they are. @default `Cache-Control: private, no-cache`
   */
  cdn?:
    | {
        /** How long a shared cache may keep an answer at most, in milliseconds. */
        maxAgeMs: number
      }
    | undefined
  /**
   * The feed behind `GET {basePath}/stream?addresses=0x…,0x…&everyMs=10000`, which sends prices as server-sent events: `event: price`, with
   * the `FeedPrice` as JSON in `data`. Visitors who stream the same tokens cost what one costs. `createPriceFeed(client, { stream: true })`
   * reads it in a page. The feed spends its own budget, and stays open when the proxy is closed. @default no stream
   */
  feed?: Pick<PriceFeed, 'watch' | 'status'> | undefined
  /** Needs `feed`. */
  stream?: ProxyStreamOptions | undefined
  /** @default the system clock */
  clock?: Clock | undefined
}

/** What `visitor` may return; without an identity the visitor is refused. */
export type VisitorId = string | null | undefined

/** A proxy: a function from a request to its response, which never rejects. */
export interface MarketProxy extends AsyncDisposable {
  (request: Request): Promise<Response>
  /** Ends every stream, refuses further requests with 503 `proxy_closed`, and resolves when the calls in flight have ended. */
  close(): Promise<void>
}
