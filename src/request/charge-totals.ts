import type { ChargeState } from '../errors/base.ts'
import type { ChargeTotals } from './types.ts'

export function createTotals(): ChargeTotals {
  return { attempts: 0, credits: 0, charge: 'none', isComputed: false }
}

/** Adds up what the requests of a call were charged. */
export function sumPaid(results: readonly { readonly paid: ChargeTotals }[]): ChargeTotals {
  const sum = createTotals()
  for (const { paid } of results) {
    sum.attempts += paid.attempts
    sum.credits += paid.credits
    sum.charge = strongest(sum.charge, paid.charge)
    sum.isComputed ||= paid.isComputed
  }
  return sum
}

export function strongest(one: ChargeState, other: ChargeState): ChargeState {
  if (one === 'unknown' || other === 'unknown') return 'unknown'
  return one === 'charged' || other === 'charged' ? 'charged' : 'none'
}
