import { invalidOption, requireMilliseconds } from '../../errors/input.ts'

/** Returns the interval of a watch, and the longest one under a stretch; Infinity if any will do. */
export function readIntervals(options: { everyMs: unknown; atLeastEveryMs?: unknown }): {
  everyMs: number
  atLeastEveryMs: number
} {
  const everyMs = requireMilliseconds('everyMs', options.everyMs)
  const { atLeastEveryMs = Number.POSITIVE_INFINITY } = options
  if (typeof atLeastEveryMs === 'number' && atLeastEveryMs >= everyMs) return { everyMs, atLeastEveryMs }
  throw invalidOption('atLeastEveryMs', atLeastEveryMs, 'a number of milliseconds, at least everyMs')
}
