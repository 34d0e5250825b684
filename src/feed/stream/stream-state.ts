import { ConnectionError, RateLimitError, ServiceError } from '../../errors/api.ts'
import { EtnMarketError } from '../../errors/base.ts'

/**
 * What a stream of a proxy says about itself. `connected`: prices arrive at its pace. `stale`: prices are older than that, because the service
 * answers late or not at all. `out_of_credits`: the credits for live prices are used up. `refused`: the service refuses the proxy's key.
 */
export type StreamState = 'connected' | 'stale' | 'out_of_credits' | 'refused'

/** The data of `event: status`. */
export interface StreamReport {
  readonly state: StreamState
  /** The pace of the prices now, in milliseconds: two seconds after it a price is stale. */
  readonly everyMs: number
  readonly code?: string | undefined
  /** After how many milliseconds the state may change by itself; left out where nobody knows. */
  readonly waitMs?: number | undefined
}

/** An address that a stream does not serve, one of the data of `event: refused`. */
export interface RefusedAddress {
  /** As the stream was asked for it. */
  readonly address: string
  /**
   * `not_allowed`: the proxy does not stream it; `too_many_addresses`: it may later, or the page wants more than 150; `invalid_address`: it is none, or
   * its checksum is wrong.
   */
  readonly code: 'not_allowed' | 'too_many_addresses' | 'invalid_address'
}

/**
 * What a page knows of its stream: what it says, or `connecting`: not open yet, or closed; `reconnecting`: lost, or refused for a while, also by something before the proxy; `refused`: by the
 * proxy, for good, or by the service; `paused`: the page is hidden.
 */
export type FeedStreamState = StreamState | 'connecting' | 'reconnecting' | 'paused'

/** The state of the stream of a page. */
export interface FeedStreamStatus {
  /** What the stream does. */
  readonly state: FeedStreamState
  /**
   * The pace of the stream, in milliseconds; undefined before it says so. It is how often the proxy buys these prices, and longer where answers take
   * more than two seconds.
   */
  readonly everyMs: number | undefined
  /** When the state may change by itself, unix milliseconds; undefined where nobody knows. */
  readonly until: number | undefined
  /** The HTTP status that refused the stream; undefined while it is open, and without an answer. */
  readonly status: number | undefined
  /** Why the stream is refused or stale, such as `no_visitor`; undefined without a reason. */
  readonly code: string | undefined
  /** The addresses that the stream does not serve. */
  readonly refused: readonly RefusedAddress[]
}

/** The status of an answer that refuses nothing but such an address. */
const REFUSALS: Readonly<Record<RefusedAddress['code'], number>> = {
  not_allowed: 403,
  too_many_addresses: 429,
  invalid_address: 400,
}

export function refusalOf({ address, code }: RefusedAddress): EtnMarketError {
  const details = { code, status: REFUSALS[code], params: { address } }
  return new EtnMarketError(`The proxy does not stream ${address}: ${details.status} ${code}.`, details)
}

/** The code of a runtime whose `fetch` resolves only when a body has ended. */
export const NO_STREAMING_FETCH = 'no_streaming_fetch'

/** What is not the proxy's own answer, such as the page of a front, has this code. */
export const FRONT_ERROR = 'front_error'

/** Why a stream brings no prices; undefined while it does. @param waitMs until the state may change by itself */
export function errorOf({ state, status, code }: FeedStreamStatus, waitMs: number | undefined) {
  const details = { code: code ?? state, status, retryAfterMs: waitMs }
  const refusal = `The proxy refuses the stream: ${status} ${details.code}.`
  if (code === FRONT_ERROR)
    return new ServiceError(
      `Something in front of the proxy answered ${status}, or \`url\` is wrong. The page tries again.`,
      details,
    )
  if (state === 'stale' && code !== undefined)
    return new ServiceError('The service does not answer the proxy, which tries again.', details)
  if (state === 'out_of_credits') return new RateLimitError('The credits for live prices are used up.', details)
  if (code === NO_STREAMING_FETCH) {
    return new EtnMarketError('This fetch cannot stream: pass one that can, such as that of expo/fetch.', details)
  }
  if (state === 'refused' && status === undefined)
    return new ServiceError('The service refuses the key of the proxy. Tell its operator.', details)
  if (state === 'refused') return new EtnMarketError(refusal, details)
  if (state !== 'reconnecting') return undefined
  if (status !== undefined) {
    const Problem = status >= 500 ? ServiceError : RateLimitError
    return new Problem(`${refusal} The page tries again.`, details)
  }
  const message = 'There is no connection to the proxy. The page tries again.'
  return new ConnectionError(message, { ...details, code: 'connection_failed' })
}
