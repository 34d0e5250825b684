import type { MemoryReservation, Reservation, ReservationDetails } from '../../credits/budget.ts'
import { isPromise } from '../../utils/is-promise.ts'
import type { StreamVisitor } from './stream-visitor.ts'

/** What one visitor pays of a request. */
export interface Share {
  readonly visitor: StreamVisitor
  /** Above 0, at most 1. */
  readonly weight: number
  readonly reservation: MemoryReservation
  /** Called when it is decided. */
  end(): void
}

/** Sums of fractions accumulate rounding errors. */
const EPSILON = 1e-6

/** Parts of credits, in whole ones: never too little. */
export const wholeCredits = (credits: number) => Math.max(0, Math.ceil(credits - EPSILON))

/** A request whose cost visitors divide. It counts in their budgets and in the total. */
export class ShareReservation implements Reservation {
  readonly credits: number
  readonly #total: Reservation
  /** The part of the request that visitors pay together. */
  readonly #ofVisitors: number
  readonly #shares: readonly Share[]
  #isDecided = false

  private constructor(total: Reservation, ofVisitors: number, shares: readonly Share[]) {
    this.credits = total.credits
    this.#total = total
    this.#ofVisitors = ofVisitors
    this.#shares = shares
  }

  /** @param reserveShares called when the total is reserved; what it throws releases the total */
  static make(
    total: Reservation | Promise<Reservation>,
    ofVisitors: number,
    reserveShares: () => readonly Share[],
  ): Reservation | Promise<Reservation> {
    const complete = (reserved: Reservation) => {
      try {
        return new ShareReservation(reserved, ofVisitors, reserveShares())
      } catch (error) {
        reserved.release()
        throw error
      }
    }
    return isPromise(total) ? total.then(complete) : complete(total)
  }

  confirm(details?: ReservationDetails, key?: string): void | Promise<void> {
    for (const { reservation } of this.#shares) reservation.confirm(details, key)
    const confirmed = this.#total.confirm(details, key)
    // A visitor's window may have ended meanwhile: all have to be confirmed without a wait.
    return isPromise(confirmed) ? confirmed.then(() => this.confirm(details, key)) : undefined
  }

  settle(charged: number): undefined {
    this.#decide(({ visitor, weight, reservation }) => {
      const share = charged * weight
      const paid = Math.min(reservation.credits, wholeCredits(share - visitor.paidAhead))
      visitor.paidAhead = Math.max(0, visitor.paidAhead + paid - share)
      reservation.settle(paid)
    })
    this.#total.settle(Math.min(this.credits, wholeCredits(charged * this.#ofVisitors)))
  }

  release(): void {
    this.#decide(({ reservation }) => reservation.release())
    this.#total.release()
  }

  markUncertain(): void {
    this.#decide(({ reservation }) => reservation.markUncertain())
    this.#total.markUncertain()
  }

  #decide(decide: (share: Share) => void): void {
    if (this.#isDecided) return
    this.#isDecided = true
    for (const share of this.#shares) {
      decide(share)
      share.end()
    }
  }
}
