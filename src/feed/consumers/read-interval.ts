import { invalidOption } from '../../errors/input.ts'

/** Returns a number of milliseconds, or throws. */
export function readInterval(name: string, ms: unknown): number {
  if (typeof ms === 'number' && ms > 0 && ms < Number.POSITIVE_INFINITY) return ms
  throw invalidOption(name, ms, 'a number of milliseconds above 0')
}
