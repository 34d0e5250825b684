import { RateLimitError, ServiceError } from '../../errors/api.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { isNumber, isObject } from '../../operations/type-guards.ts'

/**
 * What a stream of a proxy says about itself. `fine`: prices arrive as asked. `slow`: the service answers late. `stretched`: the
 * credits suffice for longer intervals only. `out_of_credits`: yours, or those of the proxy, are used up. `refused`: the service refuses
 * the proxy's key. `upstream_down`: the service does not answer.
 */
export type StreamState = 'fine' | 'slow' | 'stretched' | 'out_of_credits' | 'refused' | 'upstream_down'

/** The data of `event: status`. */
export interface StreamReport {
  readonly state: StreamState
  /** The interval at which prices are bought now, in milliseconds. */
  readonly everyMs: number
  /** After how many milliseconds the state may change by itself; left out where nobody knows. */
  readonly waitMs?: number | undefined
}

/**
 * What a page knows of its streams: what they say, or `connecting`: not open yet; `reconnecting`: lost, and prices are bought after five
 * seconds; `unavailable`: the server has none, so that prices are bought.
 */
export type FeedStreamState = StreamState | 'connecting' | 'reconnecting' | 'unavailable'

/** The state of the streams of a feed: that of the worst one. */
export interface FeedStreamStatus {
  /** What the stream does, from `fine` to `unavailable`. */
  readonly state: FeedStreamState
  /** The interval at which the proxy buys these prices, in milliseconds; undefined before it says so. */
  readonly everyMs: number | undefined
  /** When the state may change by itself, unix milliseconds; undefined where nobody knows. */
  readonly until: number | undefined
}

/** From the best to the worst. */
const STATES: readonly FeedStreamState[] = [
  'fine',
  'slow',
  'stretched',
  'connecting',
  'reconnecting',
  'upstream_down',
  'out_of_credits',
  'refused',
  'unavailable',
]

/** The worst of some states; `connecting` without any. */
export function worstOf(statuses: readonly FeedStreamStatus[]): FeedStreamStatus {
  const [first, ...others] = statuses
  if (first === undefined) return { state: 'connecting', everyMs: undefined, until: undefined }
  return others.reduce(
    (worst, each) => (STATES.indexOf(each.state) > STATES.indexOf(worst.state) ? each : worst),
    first,
  )
}

/** Reads the data of `event: status`; undefined for what is none. */
export function readReport(data: string): StreamReport | undefined {
  try {
    const report: unknown = JSON.parse(data)
    if (!isObject(report) || !isState(report.state) || !isNumber(report.everyMs)) return undefined
    return { state: report.state, everyMs: report.everyMs, waitMs: isNumber(report.waitMs) ? report.waitMs : undefined }
  } catch {
    return undefined
  }
}

const isState = (state: unknown): state is StreamState =>
  STATES.some((known) => known === state) && !/^(re)?connecting$|^unavailable$/.test(String(state))

/** Why a stream brings no prices; undefined while it does. */
export function errorOf({ state }: FeedStreamStatus, retryAfterMs: number | undefined): EtnMarketError | undefined {
  switch (state) {
    case 'upstream_down':
      return new ServiceError('The service does not answer the proxy, which tries again.', {
        code: state,
        retryAfterMs,
      })
    case 'refused':
      return new ServiceError('The service refuses the key of the proxy. Tell its operator.', {
        code: 'upstream_refused',
      })
    case 'out_of_credits':
      return new RateLimitError('The credits for live prices are used up.', { code: state, retryAfterMs })
    default:
      return undefined
  }
}
