import type { ChargeState } from '../errors/base.ts'
import type { Charge, Tally } from './types.ts'

export function createTally(): Tally {
  return { attempts: 0, credits: 0, charge: 'none', computed: false }
}

export function addCharge(tally: Tally, charge: Charge): void {
  tally.credits += charge.credits
  tally.charge = strongest(tally.charge, charge.state)
  if (charge.state === 'charged' && !charge.told) tally.computed = true
}

/** Several tallies as one. */
export function sumTallies(tallies: readonly Tally[]): Tally {
  const sum = createTally()
  for (const tally of tallies) {
    sum.attempts += tally.attempts
    sum.credits += tally.credits
    sum.charge = strongest(sum.charge, tally.charge)
    sum.computed ||= tally.computed
  }
  return sum
}

function strongest(one: ChargeState, other: ChargeState): ChargeState {
  if (one === 'unknown' || other === 'unknown') return 'unknown'
  return one === 'charged' || other === 'charged' ? 'charged' : 'none'
}
