import type { Account } from '../credits/account.ts'
import type { CreditsEvent, Emit } from '../events.ts'
import { addCharge } from './tally.ts'
import type { Charge, Journey } from './types.ts'

/** Writes down what an attempt was charged: in the call's own tally, in the budget, in the client's account. */
export function settle(
  charge: Charge,
  journey: Journey,
  remaining: number | undefined,
  account: Account,
  emit: Emit,
): void {
  const { part, reservation, tally } = journey
  const { operation } = part
  addCharge(tally, charge)
  if (charge.state === 'none') {
    reservation.release()
  } else if (charge.state === 'unknown') {
    reservation.lose()
    account.noteUncertain(reservation.credits)
    emit({ type: 'credits.uncertain', operation, credits: reservation.credits })
  } else {
    reservation.settle(charge.credits)
    account.noteCharge(operation, charge.credits, charge.told)
    const type = charge.told ? 'credits.charged' : 'credits.computed'
    const event: CreditsEvent = { type, operation, credits: charge.credits }
    if (remaining !== undefined) event.remaining = remaining
    emit(event)
  }
  if (charge.credits > reservation.credits) {
    emit({ type: 'credits.drift', operation, predicted: reservation.credits, charged: charge.credits })
  }
}
