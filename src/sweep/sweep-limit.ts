import type { Budget, Reservation, ReservationDetails } from '../credits/budget.ts'
import { creditsLeft, fits } from '../credits/budget-core.ts'
import type { SpendingLimit, WatchedReservation } from '../credits/joint-budget.ts'
import { budgetExceeded } from '../errors/budget.ts'
import { isPromise } from '../utils/is-promise.ts'

/** What a sweep may be charged, together with the earlier runs on its store. */
export interface SweepLimit extends SpendingLimit {
  /** Reads what earlier runs were charged. */
  load(): Promise<void>
  /** What is left beside `credits`. */
  leftBeside(credits: number): number
}

/** @param ledger what was charged so far; it has no limit of its own, because each run may state another one */
export function createSweepLimit(ledger: Budget & { load?(): Promise<void> }, maxCredits: number): SweepLimit {
  const check = (needed: number, details?: ReservationDetails) => {
    ledger.check(needed, details)
    if (fits(maxCredits, ledger, needed)) return
    const available = creditsLeft(maxCredits, ledger)
    const advice = 'Allow more maxCredits.'
    throw budgetExceeded({ of: 'sweep', limit: maxCredits, needed, available, advice }, details)
  }
  return {
    check,
    reserve(credits, details) {
      check(credits, details)
      return ledger.reserve(credits, details)
    },
    load: async () => ledger.load?.(),
    leftBeside: (credits) => creditsLeft(maxCredits, ledger) - credits,
  }
}

/** A sweep that was left sends nothing more. */
export class SweepStopped extends Error {}

/** The limit of one call, which knows whether a request of it is under way. */
export class CallLimit implements SpendingLimit {
  /** Requests that are on their way. */
  sending = 0
  isStopped = false
  /** Called when a request has failed, before the call decides whether to repeat it. */
  onFailure: (() => void) | undefined
  readonly #limit: SpendingLimit

  constructor(limit: SpendingLimit) {
    this.#limit = limit
  }

  check(credits: number, details?: ReservationDetails): void {
    this.#limit.check(credits, details)
  }

  reserve(credits: number, details?: ReservationDetails): CallReservation | Promise<CallReservation> {
    this.requireRunning()
    const reserved = this.#limit.reserve(credits, details)
    return isPromise(reserved)
      ? reserved.then((one) => new CallReservation(this, one))
      : new CallReservation(this, reserved)
  }

  requireRunning(): void {
    if (this.isStopped) throw new SweepStopped('The sweep was left.')
  }
}

class CallReservation implements WatchedReservation {
  readonly credits: number
  readonly #call: CallLimit
  readonly #held: Reservation
  #isSending = false

  constructor(call: CallLimit, held: Reservation) {
    this.credits = held.credits
    this.#call = call
    this.#held = held
  }

  confirm(details?: ReservationDetails, key?: string): void | Promise<void> {
    this.#call.requireRunning()
    const confirmed = this.#held.confirm(details, key)
    return isPromise(confirmed) ? confirmed.then(() => this.#call.requireRunning()) : undefined
  }

  // Not when it is confirmed: a cool-down that has begun meanwhile makes it wait again.
  sent(): void {
    this.#call.sending++
    this.#isSending = true
  }

  settle(charged: number): undefined {
    this.#end()
    this.#held.settle(charged)
  }

  release(): void {
    this.#end()
    this.#held.release()
    this.#call.onFailure?.()
  }

  markUncertain(): void {
    this.#end()
    this.#held.markUncertain()
    this.#call.onFailure?.()
  }

  #end(): void {
    if (this.#isSending) this.#call.sending--
    this.#isSending = false
  }
}
