import { RateLimitError, ServiceError } from '../../errors/api.ts'
import { EtnMarketError } from '../../errors/base.ts'
import { ConnectionError } from '../../errors/network.ts'
import type { TokenPrice } from '../../generated/types.ts'
import { isArray, isNumber, isObject } from '../../operations/type-guards.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { StoredPrice } from '../prices/price-store.ts'

/**
 * What a stream of a proxy says about itself. `connected`: prices arrive at its pace. `stale`: prices are older than that, because the service
 * answers late or not at all. `out_of_credits`: the credits for live prices are used up. `refused`: the service refuses the proxy's key.
 */
export type StreamState = 'connected' | 'stale' | 'out_of_credits' | 'refused'

/** The data of `event: status`. */
export interface StreamReport {
  readonly state: StreamState
  /** The interval at which prices are bought now, in milliseconds. */
  readonly everyMs: number
  /** Why, where there is a reason. */
  readonly code?: string | undefined
  /** After how many milliseconds the state may change by itself; left out where nobody knows. */
  readonly waitMs?: number | undefined
}

/** An address that a stream does not serve, one of the data of `event: refused`. */
export interface RefusedAddress {
  /** As the stream was asked for it. */
  readonly address: string
  /** `not_allowed`: the proxy does not stream it; `too_many_addresses`: it may later; `invalid_address`: it is none, or its checksum is wrong. */
  readonly code: 'not_allowed' | 'too_many_addresses' | 'invalid_address'
}

/**
 * What a page knows of its stream: what it says, or `connecting`: not open yet; `reconnecting`: lost, or refused for a while; `refused`: by the
 * proxy, for good, or by the service; `paused`: the page is hidden.
 */
export type FeedStreamState = StreamState | 'connecting' | 'reconnecting' | 'paused'

/** The state of the stream of a page. */
export interface FeedStreamStatus {
  /** What the stream does. */
  readonly state: FeedStreamState
  /** The pace of the stream: how often the proxy buys these prices, in milliseconds; undefined before it says so. */
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

/** A price of a stream, and the address that it is for. */
export interface StreamedPrice extends StoredPrice {
  readonly address: string
}

/** A price that is sent in time still has to arrive. */
export const ON_ITS_WAY_MS = 2_000

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

/** Reads the data of `event: price`. The age counts from now, so that the clocks of page and server may differ. */
export function readPrice(data: string, clock: FeedClock): StreamedPrice | undefined {
  const price = parse(data)
  if (!isObject(price) || typeof price.address !== 'string' || !isNumber(price.ageMs) || price.ageMs < 0)
    return undefined
  const { address, ageMs, at, stale, ...fields } = price
  if (!isAmount(fields.usd) || !isAmount(fields.etn)) return undefined
  const isKnown = fields.usd !== null || fields.etn !== null
  const requestedAt = clock.now() - ageMs
  return {
    address,
    at: requestedAt,
    requestedAt: clock.toUnix(requestedAt),
    price: isKnown ? ({ address, ...fields } as TokenPrice) : null,
  }
}

const isAmount = (value: unknown) => value === null || typeof value === 'string'

/** Reads the data of `event: status`; undefined for what is none. */
export function readReport(data: string): StreamReport | undefined {
  const report = parse(data)
  if (!isObject(report) || !isState(report.state) || !isNumber(report.everyMs)) return undefined
  const { state, everyMs, code, waitMs } = report
  return {
    state,
    everyMs,
    code: typeof code === 'string' ? code : undefined,
    waitMs: isNumber(waitMs) ? waitMs : undefined,
  }
}

const isState = (state: unknown): state is StreamState =>
  state === 'connected' || state === 'stale' || state === 'out_of_credits' || state === 'refused'

/** Reads the data of `event: settings`, with which a stream begins. */
export function readSettings(data: string): { readonly everyMs?: number; readonly heartbeatMs?: number } {
  const settings = parse(data)
  if (!isObject(settings)) return {}
  const { everyMs, heartbeatMs } = settings
  return {
    ...(isNumber(everyMs) && everyMs > 0 && { everyMs }),
    ...(isNumber(heartbeatMs) && heartbeatMs > 0 && { heartbeatMs }),
  }
}

/** Reads the data of `event: refused`. */
export function readRefused(data: string): readonly RefusedAddress[] {
  const list = parse(data)
  const isRefused = (each: unknown): each is RefusedAddress =>
    isObject(each) && typeof each.address === 'string' && typeof each.code === 'string'
  return isArray(list) ? list.filter(isRefused) : []
}

/** The code of an error that a proxy answers with. */
export function codeOfBody(text: string): string | undefined {
  const body = parse(text)
  const error = isObject(body) ? body.error : undefined
  return isObject(error) && typeof error.code === 'string' ? error.code : undefined
}

/**
 * Why a stream brings no prices; undefined while it does.
 * @param waitMs until the state may change by itself
 * @param address one that the stream does not serve
 */
export function errorOf(
  { state, status, code }: FeedStreamStatus,
  waitMs: number | undefined,
  address?: string,
): EtnMarketError | undefined {
  const details = { code: code ?? state, status, retryAfterMs: waitMs, params: address && { address } }
  if (address !== undefined)
    return new EtnMarketError(`The proxy does not stream ${address}: ${status} ${details.code}.`, details)
  switch (state) {
    case 'stale':
      return code === undefined
        ? undefined
        : new ServiceError('The service does not answer the proxy, which tries again.', details)
    case 'out_of_credits':
      return new RateLimitError('The credits for live prices are used up.', details)
    case 'refused':
      if (status === undefined)
        return new ServiceError('The service refuses the key of the proxy. Tell its operator.', details)
      return new EtnMarketError(
        status < 400
          ? 'The proxy answers with no event stream: check `url`, and that it leads to a proxy with a `feed`.'
          : `The proxy refuses the stream: ${status} ${details.code}.`,
        details,
      )
    case 'reconnecting':
      if (status !== undefined) {
        const Problem = status >= 500 ? ServiceError : RateLimitError
        return new Problem(`The proxy has no stream at the moment: ${status} ${details.code}.`, details)
      }
      return new ConnectionError('There is no connection to the proxy. The page tries again.', {
        ...details,
        code: 'connection_failed',
      })
    default:
      return undefined
  }
}
