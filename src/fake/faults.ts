import { checkFault } from './fault-check.ts'
import type { FakeRequest, FaultHandle, FaultOptions } from './fault-options.ts'
import { hash, hashText, unit } from './world/random.ts'

/** The faults of one run. */
export interface Faults {
  add(options: FaultOptions): FaultHandle
  /** The fault that this request is hit by, counted as a hit: the first in force that matches. */
  strike(request: FakeRequest): (FaultHandle & { options: FaultOptions }) | undefined
  /** In force or used up, but not removed. */
  list(): FaultHandle[]
  /** Those that did not hit as often as they should have. */
  unused(): { label: string; hits: number; times: number }[]
}

interface Fault extends FaultHandle {
  options: FaultOptions
  hits: number
  seen: number
  times: number
}

export function createFaults(seed: number | string): Faults {
  const faults = new Set<Fault>()
  const noise = hash(hashText(String(seed)), 200)
  let added = 0

  function matches(fault: Fault, request: FakeRequest): boolean {
    const { operation, key, when, nth, probability = 1 } = fault.options
    if (operation !== undefined && ![operation].flat().includes(request.operation)) return false
    if (key !== undefined && key !== request.key) return false
    if (when && !when(request)) return false
    fault.seen++
    if (nth !== undefined && ![nth].flat().includes(fault.seen)) return false
    // Drawn by the fault's own count: other faults and other calls do not change its luck.
    return unit(noise, fault.id, fault.seen) < probability
  }

  return {
    add(options) {
      checkFault(options)
      const id = ++added
      const fault: Fault = {
        id,
        options: { ...options },
        label: describe(options),
        hits: 0,
        seen: 0,
        times: options.times ?? defaultTimes(options),
        remove: () => void faults.delete(fault),
      }
      faults.add(fault)
      return fault
    },
    strike(request) {
      for (const fault of faults) {
        if (fault.hits >= fault.times || !matches(fault, request)) continue
        fault.hits++
        return fault
      }
      return undefined
    },
    list: () => [...faults],
    unused: () =>
      [...faults].filter(({ hits, times, options }) => {
        const sure = Number.isFinite(times) && options.probability === undefined
        return sure ? hits < times : hits === 0
      }),
  }
}

function defaultTimes({ nth, probability }: FaultOptions): number {
  if (nth !== undefined) return [nth].flat().length
  return probability === undefined ? 1 : Number.POSITIVE_INFINITY
}

function describe({ operation, key, when, nth, times: _, probability, ...effects }: FaultOptions): string {
  const what = Object.entries(effects).map(
    ([name, value]) => `${name} ${typeof value === 'function' ? '(…)' : JSON.stringify(value)}`,
  )
  const where = [
    operation === undefined ? 'any operation' : [operation].flat().join(' or '),
    key === undefined ? '' : `of key ${key}`,
    nth === undefined ? '' : `call ${[nth].flat().join(', ')}`,
    when === undefined ? '' : 'that a function chooses',
    probability === undefined ? '' : `with probability ${probability}`,
  ]
  return `${what.join(', ')} on ${where.filter((part) => part !== '').join(' ')}`
}
