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
