import type { ChargeState } from '../errors/base.ts'
import type { ChargeTotals } from './types.ts'

export function createTotals(): ChargeTotals {
  return { attempts: 0, credits: 0, charge: 'none', isComputed: false }
}

/** Adds up what the requests of a call were charged. */
export function sumPaid(results: readonly { readonly paid: ChargeTotals }[]): ChargeTotals {
  const sum = createTotals()
  for (const { paid } of results) addTotals(sum, paid)
  return sum
}

export function addTotals(sum: ChargeTotals, { attempts, credits, charge, isComputed }: ChargeTotals): void {
  sum.attempts += attempts
  sum.credits += credits
  sum.charge = strongest(sum.charge, charge)
  sum.isComputed ||= isComputed
}

export function strongest(one: ChargeState, other: ChargeState): ChargeState {
  if (one === 'unknown' || other === 'unknown') return 'unknown'
  return one === 'charged' || other === 'charged' ? 'charged' : 'none'
}
