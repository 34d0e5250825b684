import { invalidOption } from '../../errors/input.ts'

/** Returns a number of milliseconds, or throws. */
export function readInterval(name: string, ms: unknown): number {
  if (typeof ms === 'number' && ms > 0 && ms < Number.POSITIVE_INFINITY) return ms
  throw invalidOption(name, ms, 'a number of milliseconds above 0')
}

/** Returns the interval of a watch, and the longest one under a stretch; Infinity if any will do. */
export function readIntervals(options: { everyMs: unknown; atLeastEveryMs?: unknown }): {
  everyMs: number
  atLeastEveryMs: number
} {
  const everyMs = readInterval('everyMs', options.everyMs)
  const { atLeastEveryMs = Number.POSITIVE_INFINITY } = options
  if (typeof atLeastEveryMs === 'number' && atLeastEveryMs >= everyMs) return { everyMs, atLeastEveryMs }
  throw invalidOption('atLeastEveryMs', atLeastEveryMs, 'a number of milliseconds, at least everyMs')
}
