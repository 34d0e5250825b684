/** A wait in milliseconds that doubles: `min` where nothing failed before, twice as long for each earlier failure, and `max` at most. */
export function exponentialBackoff(earlierFailures: number, min: number, max: number): number {
  return Math.min(max, min * 2 ** earlierFailures)
}
