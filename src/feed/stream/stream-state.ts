import { ConnectionError, RateLimitError, ServiceError } from '../../errors/api.ts'
import { EtnMarketError } from '../../errors/base.ts'
import type { TokenPrice } from '../../generated/types.ts'
import { isArray, isNumber, isObject } from '../../operations/type-guards.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { KnownPrice } from '../prices/tracked-price.ts'

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
export interface StreamedPrice extends KnownPrice {
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
  const { address, ageMs, at, stale, ...fields } = fieldsOf(data)
  if (typeof address !== 'string' || !isNumber(ageMs) || ageMs < 0) return undefined
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
  const { state, everyMs, code, waitMs } = fieldsOf(data)
  if (!STATES.test(String(state)) || !isNumber(everyMs)) return undefined
  return {
    state: state as StreamState,
    everyMs,
    code: textOf(code),
    waitMs: isNumber(waitMs) ? waitMs : undefined,
  }
}

const STATES = /^(connected|stale|out_of_credits|refused)$/

/** Reads the data of `event: settings`, with which a stream begins. */
export function readSettings(data: string): {
  readonly everyMs: number | undefined
  readonly heartbeatMs: number | undefined
} {
  const { everyMs, heartbeatMs } = fieldsOf(data)
  return { everyMs: lengthOf(everyMs), heartbeatMs: lengthOf(heartbeatMs) }
}

/** Reads the data of `event: refused`. */
export function readRefused(data: string): readonly RefusedAddress[] {
  const list = parse(data)
  return isArray(list) ? list.filter((each): each is RefusedAddress => isObject(each) && !!textOf(each.address)) : []
}

/** The code of an error that a proxy answers with. */
export function codeOfBody(text: string): string | undefined {
  const { error } = fieldsOf(text)
  return isObject(error) ? textOf(error.code) : undefined
}

/** The fields of an object; of anything else none. */
function fieldsOf(data: string): Record<string, unknown> {
  const fields = parse(data)
  return isObject(fields) ? fields : {}
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
const lengthOf = (value: unknown) => (isNumber(value) && value > 0 ? value : undefined)

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
          ? 'The proxy answers with no event stream: check `url`.'
          : `The proxy refuses the stream: ${status} ${details.code}.`,
        details,
      )
    case 'reconnecting':
      if (status !== undefined) {
        const Problem = status >= 500 ? ServiceError : RateLimitError
        return new Problem(`The proxy refuses the stream: ${status} ${details.code}. The page tries again.`, details)
      }
      return new ConnectionError('There is no connection to the proxy. The page tries again.', {
        ...details,
        code: 'connection_failed',
      })
    default:
      return undefined
  }
}
