/** The wait after a number of failures, in milliseconds: `min` before the first, twice as long after each, and `max` at most. */
export function exponentialBackoff(failures: number, min: number, max: number): number {
  return Math.min(max, min * 2 ** failures)
}
