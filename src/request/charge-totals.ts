import type { ChargeState } from '../errors/base.ts'
import type { ChargeTotals } from './types.ts'

export function createTotals(): ChargeTotals {
  return { attempts: 0, credits: 0, charge: 'none', isComputed: false }
}

/** Adds up what several requests were charged. */
export function sumTotals(all: readonly ChargeTotals[]): ChargeTotals {
  const sum = createTotals()
  for (const totals of all) {
    sum.attempts += totals.attempts
    sum.credits += totals.credits
    sum.charge = strongest(sum.charge, totals.charge)
    sum.isComputed ||= totals.isComputed
  }
  return sum
}

export function strongest(one: ChargeState, other: ChargeState): ChargeState {
  if (one === 'unknown' || other === 'unknown') return 'unknown'
  return one === 'charged' || other === 'charged' ? 'charged' : 'none'
}
