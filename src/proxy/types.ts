import type { Client } from '../client/client.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { Budget, BudgetOptions } from '../credits/budget.ts'
import type { CreditLimit } from '../credits/credit-limit.ts'
import type { FeedStatus, PriceFeed } from '../feed/types.ts'
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
   * The tokens that may be asked for: `'listed'` for those of `token.list`, which the proxy buys once a week (600 credits), or a list of
   * addresses. A call that names another token, or none, answers 403 `not_allowed`. @default every token
   */
  tokens?: 'listed' | readonly string[] | undefined
  /**
   * The values of parameters that are accepted, such as `{ bucket: ['1h', '1d'] }`. A call without the parameter asks for the service's
   * default, which then has to be one of them. @default all values of the operation
   */
  values?: Readonly<Record<string, readonly (string | number)[] | undefined>> | undefined
  /**
   * How long an answer serves every visitor, in milliseconds; 0 to cache nothing.
   * @default by how fast the data moves, from 15 seconds for prices to a day for the service's own description; the guide has a table
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

/** What one visitor may spend and ask for. A window begins with the first purchase. */
export type VisitorLimits = CreditLimit &
  (
    | {
        /** Length of a window in whole milliseconds: a visitor's credits are always renewed. */
        windowMs: number
      }
    | {
        /** In place of `credits` and `windowMs`. */
        creditsPerDay: number
      }
  ) & {
    /**
     * The most requests a minute, streams and refused ones included; further ones answer 429 `too_many_requests`. The count slides: at most twice as
     * many pass around the end of a minute. @default no limit
     */
    requestsPerMinute?: number | undefined
  }

/** Options of the event stream at `{basePath}/stream`. */
export interface ProxyStreamOptions {
  /**
   * The interval at which the prices of all streams are bought, in milliseconds. A page learns it, and cannot choose another. A day costs at most 50
   * credits for each address and interval, and about a quarter of that if visitors stay with 50 addresses or more, however long answers take.
   * @default 60_000
   */
  everyMs?: number | undefined
  /**
   * The addresses that may be streamed. `'listed'`: the tokens of `token.list`, which the proxy buys once a week (600 credits); they are at most 100,
   * in no particular order. A list: these addresses. `'any'`: for visitors whom you trust, because they choose what the feed buys. All other
   * addresses that a stream asks for are refused one by one.
   * @default 'listed'
   */
  addresses?: 'listed' | 'any' | readonly string[] | undefined
  /**
   * The most different addresses at a time. An address that nobody wants any more keeps its place for `everyMs`. With `'any'`, one visitor alone can
   * take at most half of the places. Further addresses are refused as `too_many_addresses`.
   * @default 200
   */
  maxAddresses?: number | undefined
  /** What one visitor may have. */
  perVisitor?:
    | {
        /** The most open streams. A visible page has one. A further one ends the oldest, whose page asks again after a minute. @default 6 */
        streams?: number | undefined
      }
    | undefined
  /** The most open streams of all visitors. @default 5_000 */
  maxStreams?: number | undefined
  /**
   * A stream without news sends a comment before it has been silent for this time, in milliseconds. Servers and proxies close silent connections:
   * Bun's after 10 seconds, unless it has an `idleTimeout` or this is `8_000`.
   * @default 15_000
   */
  heartbeatMs?: number | undefined
}

/** Options of `visitorCookie`. */
export interface VisitorCookieOptions {
  /** The name of the cookie. @default 'visitor' */
  name?: string | undefined
  /** Signs the cookies. Several processes need the same one. @default random: after a restart every visitor is a new one */
  secret?: string | undefined
}

/** Options of `createProxy`. */
export type ProxyOptions = ProxyCallOptions & (ProxyWithoutFeed | ProxyWithFeed)

/** The options of a proxy that has no event stream. */
export interface ProxyCallOptions {
  /** Holds the key, and makes every call. It stays open when the proxy is closed. */
  client: Client
  /** What stands before the service's own paths, such as `/api/market`. @default '' */
  basePath?: string | undefined
  /** The operations that visitors may use. All others answer 403 `not_allowed`. */
  allow: readonly (OperationId | AllowedOperation)[]
  /**
   * Returns the identity of a visitor, 1 to 256 characters: a session or an account that your server has made, or an address that your own server has
   * put there. Never use what the visitor writes, such as a plain header or the left end of `X-Forwarded-For`: a visitor who changes it with each
   * request has no limit. If it throws or returns nothing, the answer is 403 `no_visitor`. A `feed` needs it, or `visitorCookie`.
   * @default all visitors are one
   */
  visitor?: FindVisitor | undefined
  /**
   * In place of `visitor`: the proxy gives each browser a signed cookie with a random id, `HttpOnly` and `SameSite=Lax`, where it has none. A
   * program that sends no cookie is a new visitor each time, so that only `budget` bounds what it spends.
   * @default no cookie
   */
  visitorCookie?: boolean | VisitorCookieOptions | undefined
  /**
   * The credits of one visitor in a window, for calls; streams cost visitors nothing. They are counted in this process only, while it lives. At most
   * 100,000 visitors with spent credits are remembered; while there are that many, further visitors get cached answers only. @default no limit
   */
  perVisitor?: VisitorLimits | undefined
  /**
   * The credits of the calls of all visitors together: a window, a budget made by `createBudget`, which may have a `store`, or `false` for no limit.
   * `{ credits, windowMs }` is counted in this process only, while it lives. A store keeps what was spent. Two processes share a limit by the fleet
   * of their client.
   */
  budget: Budget | BudgetOptions | false
  /** @default pages of the same origin only */
  cors?: ProxyCorsOptions | undefined
  /**
   * Lets shared caches keep answers as long as they are fresh, `maxAgeMs` at most. Such an answer has `X-Credits-Cost: 0`. The shared cache hands out
   * copies without a check of who the visitor is. @default `Cache-Control: private, no-cache`
   */
  cdn?:
    | {
        /** How long a shared cache may keep an answer at most, in milliseconds. */
        maxAgeMs: number
      }
    | undefined
  /**
   * Whether a request comes from the operator, who may read `GET {basePath}/_status`: the state of `proxy.status()` as JSON. For
   * everybody else, and without this option, the path does not exist. @default nobody
   */
  operator?: ((request: Request) => boolean | Promise<boolean>) | undefined
  /** @default that of the client */
  clock?: Clock | undefined
}

/** A proxy that answers calls only. */
export interface ProxyWithoutFeed {
  /** @default no stream */
  feed?: undefined
  /** Needs `feed`. */
  stream?: undefined
}

/** A proxy with an event stream. It needs `visitor` or `visitorCookie`, because the streams of one visitor are limited. */
export interface ProxyWithFeed {
  /**
   * The feed behind `GET {basePath}/stream?addresses=0x…,0x…`, which sends prices as server-sent events: `event: price`, with the `FeedPrice` as JSON
   * in `data`. The proxy keeps one watch over all addresses that visitors want, at `stream.everyMs`, so that each price is bought once for all.
   * `createPriceFeed(client, { stream: true })` and `createPriceStream` read it in a page. The feed needs a `budget`, which may be `false`. Its other
   * watches are paid from the same budget: `atLeastEveryMs` keeps their interval. It stays open when the proxy is closed.
   */
  feed: Pick<PriceFeed, 'watch' | 'status'>
  /** The interval and the limits of the event stream. */
  stream?: ProxyStreamOptions | undefined
}

/** Finds out who sends a request. */
export type FindVisitor = (request: Request) => VisitorId | Promise<VisitorId>

/** What `visitor` may return; without an identity the visitor is refused. */
export type VisitorId = string | null | undefined

/** A proxy: a function from a request to its response, which never rejects. */
export interface MarketProxy extends AsyncDisposable {
  (request: Request): Promise<Response>
  /** What visitors do and spend at this moment. Sends nothing. */
  status(): ProxyStatus
  /** Ends every stream, refuses further requests with 503 `proxy_closed`, and resolves when the calls in flight have ended. */
  close(): Promise<void>
}

/** The state of a proxy, for its operator. */
export interface ProxyStatus {
  /** Visitors whose spending is remembered until their windows end. */
  readonly visitors: number
  /** Open streams. */
  readonly streams: number
  /** What the streams cost; undefined without a feed. */
  readonly stream: StreamedAddresses | undefined
  /** The ten visitors who have spent most in their current windows, the highest first. */
  readonly topSpenders: readonly VisitorSpending[]
  /** The budget of all visitors together; undefined if there is none. With a `store` it is known from the first call on; `_status` reads the store. */
  readonly budget: SpentBudget | undefined
  /** The state of the feed; undefined without one. */
  readonly feed: FeedStatus | undefined
}

/** The addresses that are streamed, and what they cost. */
export interface StreamedAddresses {
  /** Different addresses that visitors want now. */
  readonly addresses: number
  /** The interval at which their prices are bought, in milliseconds. */
  readonly everyMs: number
  /** Credits a day for this number of addresses: bought together, if visitors stay; bought one by one, the most that visitors can cause. */
  readonly creditsPerDay: CostOfStreams
  /** By how much the feed's budget would stretch the interval at these costs; 1 if it suffices. */
  readonly stretch: CostOfStreams
}

/** A figure for two kinds of visitors. */
export interface CostOfStreams {
  /** Where visitors stay with their addresses. */
  readonly staying: number
  /** Where visitors change their addresses all the time. */
  readonly rotating: number
}

/** What one visitor has spent. */
export interface VisitorSpending {
  /** As `visitor` returned it. */
  readonly visitor: string
  /** Credits in the current window, lost answers included. */
  readonly spent: number
  /** Credits that are left in it. */
  readonly available: number
  /** Open streams. */
  readonly streams: number
}

/** A budget at one moment. */
export interface SpentBudget {
  /** The most credits in a window. */
  readonly limit: number
  /** Credits in the current window, lost answers included. */
  readonly spent: number
  /** Credits that are left in it. */
  readonly available: number
  /** When the window ends, unix milliseconds; undefined if it never does. */
  readonly resetsAt: number | undefined
}
