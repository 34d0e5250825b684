import type { Reservation } from '../credits/budget.ts'
import { joinBudgets, type SpendingLimit } from '../credits/joint-budget.ts'

/** Nobody waits for a request that was about to be sent. */
export class Abandoned extends Error {}

/** What pays for one purchase: the visitor who asked first, and the total of the proxy. */
export interface Account extends SpendingLimit {
  /** Credits that the service is known to have charged, at most what was reserved. */
  readonly counted: number
  /** Whether a request is on its way. */
  readonly isSending: boolean
  /** Who refused the last reservation; undefined for the budget of the client. */
  readonly refusedBy: 'visitor' | 'total' | undefined
  /** While it is true, nothing further is sent. */
  isAbandoned: boolean
}

/** @param visitor undefined where visitors have no limit of their own */
export function createAccount(visitor: SpendingLimit | undefined, total: SpendingLimit): Account {
  let counted = 0
  let sending = 0
  let refusedBy: Account['refusedBy']
  const markRefusal = (by: 'visitor' | 'total') => () => {
    refusedBy = by
  }
  const ofTotal = noteRefusals(total, markRefusal('total'))
  const limit = visitor ? joinBudgets(noteRefusals(visitor, markRefusal('visitor')), ofTotal) : ofTotal
  const requireWaiting = () => {
    if (account.isAbandoned) throw new Abandoned('No visitor waits for the answer.')
  }

  /** Follows one attempt. */
  function track(reservation: Reservation): Reservation {
    let isSent = false
    let isDecided = false
    const decide = (charged: number) => {
      if (isDecided) return
      isDecided = true
      counted += charged
      if (isSent) sending--
    }
    return {
      credits: reservation.credits,
      confirm(details) {
        requireWaiting()
        const confirmed = reservation.confirm(details)
        if (!isSent) sending++
        isSent = true
        return confirmed
      },
      settle(charged) {
        // A visitor is never charged more than was reserved; the client's own budget has the true figure.
        const fitting = Math.min(charged, reservation.credits)
        decide(fitting)
        return reservation.settle(fitting)
      },
      release() {
        decide(0)
        reservation.release()
      },
      markUncertain() {
        decide(0)
        reservation.markUncertain()
      },
    }
  }

  const account: Account = {
    get counted() {
      return counted
    },
    get isSending() {
      return sending > 0
    },
    get refusedBy() {
      return refusedBy
    },
    isAbandoned: false,
    check: limit.check,
    reserve(credits, details) {
      requireWaiting()
      refusedBy = undefined
      const reservation = limit.reserve(credits, details)
      return reservation instanceof Promise ? reservation.then(track) : track(reservation)
    },
  }
  return account
}

/** The same limit; `onRefusal` is called when it refuses to reserve, or to move a reservation to a new window. */
function noteRefusals(limit: SpendingLimit, onRefusal: () => void): SpendingLimit {
  const note = (error: unknown): never => {
    onRefusal()
    throw error
  }
  const noteIn = <T>(work: () => T | Promise<T>): T | Promise<T> => {
    try {
      const result = work()
      return result instanceof Promise ? result.catch(note) : result
    } catch (error) {
      return note(error)
    }
  }
  const follow = (reservation: Reservation): Reservation => ({
    credits: reservation.credits,
    confirm: (details) => noteIn(() => reservation.confirm(details)),
    settle: (charged) => reservation.settle(charged),
    release: () => reservation.release(),
    markUncertain: () => reservation.markUncertain(),
  })
  return {
    check: (credits, details) => noteIn(() => limit.check(credits, details)),
    reserve(credits, details) {
      const reservation = noteIn(() => limit.reserve(credits, details))
      return reservation instanceof Promise ? reservation.then(follow) : follow(reservation)
    },
  }
}
