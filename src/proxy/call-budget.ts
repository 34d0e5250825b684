import type { Budget, MemoryBudget, MemoryReservation, Reservation, ReservationDetails } from '../credits/budget.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { isPromise } from '../utils/is-promise.ts'

/** Nobody waits for a request that was about to be sent. */
export class Abandoned extends Error {}

/** What pays for one purchase: the visitor who asked first, and the total of the proxy. */
export class CallBudget implements SpendingLimit {
  /** Credits that the service is known to have charged, at most what was reserved. */
  counted = 0
  /** Requests that are on their way. */
  sending = 0
  /** Who refused last; undefined for the budget of the client. */
  refusedBy: 'visitor' | 'total' | undefined
  /** While it is true, nothing further is sent. */
  isAbandoned = false
  readonly visitor: MemoryBudget | undefined
  readonly total: Budget

  /** @param visitor undefined where visitors have no limit of their own */
  constructor(visitor: MemoryBudget | undefined, total: Budget) {
    this.visitor = visitor
    this.total = total
  }

  check(credits: number, details?: ReservationDetails): void {
    this.visitor?.check(credits, details)
    this.total.check(credits, details)
  }

  /** What one of the two refuses is not left on the other. */
  reserve(credits: number, details?: ReservationDetails): Reservation | Promise<Reservation> {
    this.requireWaiting()
    this.refusedBy = 'visitor'
    const own = this.visitor?.reserve(credits, details)
    this.refusedBy = 'total'
    const refuse = (error: unknown): never => {
      own?.release()
      throw error
    }
    const accept = (total: Reservation) => {
      this.refusedBy = undefined
      return new CallReservation(this, own, total)
    }
    try {
      const total = this.total.reserve(credits, details)
      return isPromise(total) ? total.then(accept, refuse) : accept(total)
    } catch (error) {
      return refuse(error)
    }
  }

  requireWaiting(): void {
    if (this.isAbandoned) throw new Abandoned('No visitor waits for the answer.')
  }
}

/** The reservation of one attempt. A class, because one is made for each. */
class CallReservation implements Reservation {
  readonly credits: number
  readonly #callBudget: CallBudget
  readonly #own: MemoryReservation | undefined
  readonly #total: Reservation
  #isSent = false
  #isDecided = false

  constructor(callBudget: CallBudget, own: MemoryReservation | undefined, total: Reservation) {
    this.credits = total.credits
    this.#callBudget = callBudget
    this.#own = own
    this.#total = total
  }

  confirm(details?: ReservationDetails, key?: string): void | Promise<void> {
    const callBudget = this.#callBudget
    callBudget.requireWaiting()
    callBudget.refusedBy = 'visitor'
    this.#own?.confirm(details, key)
    callBudget.refusedBy = 'total'
    const confirmed = this.#total.confirm(details, key)
    // The visitor's window may have ended meanwhile: both have to be confirmed without a wait.
    if (isPromise(confirmed)) return confirmed.then(() => this.confirm(details, key))
    callBudget.refusedBy = undefined
    if (!this.#isSent) callBudget.sending++
    this.#isSent = true
  }

  settle(charged: number): undefined {
    // A visitor is never charged more than was reserved; the client's own budget has the true figure.
    const fitting = Math.min(charged, this.credits)
    this.#decide(fitting)
    this.#own?.settle(fitting)
    this.#total.settle(fitting)
  }

  release(): void {
    this.#decide(0)
    this.#own?.release()
    this.#total.release()
  }

  markUncertain(): void {
    this.#decide(0)
    this.#own?.markUncertain()
    this.#total.markUncertain()
  }

  #decide(charged: number): void {
    if (this.#isDecided) return
    this.#isDecided = true
    this.#callBudget.counted += charged
    if (this.#isSent) this.#callBudget.sending--
  }
}
