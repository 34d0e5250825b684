export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** A length of time as text: a number and its unit, seconds, minutes, hours or days. `'30s'`, `'5m'`, `'1h'`, `'1d'`. */
export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}`

const UNITS = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: 1_000 }

/** The milliseconds of a duration, or undefined where the value is none. */
export function parseDuration(value: unknown): number | undefined {
  const [, count, unit] = (typeof value === 'string' && /^(\d+(?:\.\d+)?)([smhd])$/.exec(value)) || []
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS]
  return ms > 0 && Number.isFinite(ms) ? ms : undefined
}

/** The duration in its largest unit, such as `5m`. */
export function formatDuration(ms: number): string {
  const [unit, unitMs] = Object.entries(UNITS).find(([, size]) => ms >= size) ?? ['s', UNITS.s]
  return `${Number((ms / unitMs).toFixed(ms < 10 ? 3 : 2))}${unit}`
}

/** A wait in milliseconds that doubles: `min` where nothing failed before, twice as long for each earlier failure, and `max` at most. */
export function exponentialBackoff(earlierFailures: number, min: number, max: number): number {
  return Math.min(max, min * 2 ** earlierFailures)
}

/** Waits after failures in a row: each further one doubles the next wait. */
export class ExponentialBackoff {
  readonly #minMs: number
  readonly maxMs: number
  /** Failures since the last success. */
  failures = 0

  constructor(minMs = 1_000, maxMs = MINUTE_MS) {
    this.#minMs = minMs
    this.maxMs = maxMs
  }

  /** Counts a failure. Returns how long to wait after it, in milliseconds. */
  fail(): number {
    return exponentialBackoff(this.failures++, this.#minMs, this.maxMs)
  }
}

const MAX_JITTER_MS = 1_000

/** How long to wait where `Retry-After` asks for this: it is a floor, and jitter only adds to it. @param random a number in [0, 1) */
export function addJitter(retryAfterMs: number, random: number): number {
  return retryAfterMs + random * Math.min(retryAfterMs / 10, MAX_JITTER_MS)
}
