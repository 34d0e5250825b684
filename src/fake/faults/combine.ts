import type { FaultEffects } from './fault-options.ts'

type Names = readonly (keyof FaultEffects)[]

/** Effects that decide the content of the answer. */
const CONTENT: Names = ['status', 'html', 'never', 'reset']
const DELIVERY: Names = ['never', 'reset', 'truncate', 'stall']
/** Effects on the answer of the service, which a replaced answer does not show. */
const ANSWER: Names = ['transform', 'malformed', 'creditHeaders']

/** Effects that exclude each other, in one fault and in two on one call. */
export const EXCLUSIVE: readonly (readonly [Names, Names, reason: string])[] = [
  [CONTENT, CONTENT, 'use two faults'],
  [DELIVERY, DELIVERY, 'use two faults'],
  [['html'], ['malformed', 'transform'], 'a page is not JSON'],
  [['never', 'reset'], ['headers', 'retryAfter', 'date', ...ANSWER], 'without an answer it cannot be seen'],
  [['never'], ['delayMs'], 'never has no end'],
  [['reset'], ['charge'], "reset says itself whether it charges, 'before' or 'after'"],
]
/** Effects of which a call can have only one. */
const SINGLE = ['retryAfter', 'creditHeaders', 'date', 'malformed', 'charge'] as const

/**
 * Combines the effects of two faults on one call: delays add up, headers are merged, transforms run in order. Returns
 * `undefined` if they cannot take effect together, for example two different contents.
 */
export function combine(first: FaultEffects, second: FaultEffects): FaultEffects | undefined {
  const has = (effects: FaultEffects, names: Names) => names.some((name) => effects[name] !== undefined)
  const both = (a: Names, b: Names) => (has(first, a) && has(second, b)) || (has(first, b) && has(second, a))
  if (EXCLUSIVE.some(([a, b]) => both(a, b)) || both(CONTENT, ANSWER)) return undefined
  if (SINGLE.some((name) => both([name], [name]))) return undefined
  // A body that is not JSON cannot be transformed.
  if (first.malformed && second.transform) return undefined
  const combined: FaultEffects = { ...first, ...second }
  const delayMs = (first.delayMs ?? 0) + (second.delayMs ?? 0)
  if (delayMs > 0) combined.delayMs = delayMs
  if (first.headers && second.headers) combined.headers = { ...first.headers, ...second.headers }
  const [before, after] = [first.transform, second.transform]
  if (before && after) combined.transform = async (body) => after(await before(body))
  return combined
}
