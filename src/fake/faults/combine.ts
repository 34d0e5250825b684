import type { FaultEffects } from './fault-options.ts'

const REPLACING = ['status', 'html', 'never', 'reset'] as const
const DELIVERY = ['never', 'reset', 'truncate', 'stall'] as const
/** Effects on the answer of the service, which a replaced answer does not show. */
const ANSWER = ['transform', 'malformed', 'creditHeaders'] as const
const HEADERS = ['headers', 'retryAfter', 'creditHeaders', 'date'] as const
/** Effects of which a call can have only one. */
const SINGLE = ['retryAfter', 'creditHeaders', 'date', 'malformed', 'charge'] as const

/**
 * Combines the effects of two faults on one call: delays add up, headers are merged, transforms run in order. Returns
 * `undefined` if they cannot take effect together, for example two different contents.
 */
export function combine(first: FaultEffects, second: FaultEffects): FaultEffects | undefined {
  const has = (effects: FaultEffects, names: readonly (keyof FaultEffects)[]) =>
    names.some((name) => effects[name] !== undefined)
  const both = (a: readonly (keyof FaultEffects)[], b: readonly (keyof FaultEffects)[]) =>
    (has(first, a) && has(second, b)) || (has(first, b) && has(second, a))
  if (both(REPLACING, REPLACING) || both(DELIVERY, DELIVERY) || both(REPLACING, ANSWER)) return undefined
  if (both(['never', 'reset'], HEADERS) || both(['never'], ['delayMs']) || both(['reset'], ['charge'])) return undefined
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
