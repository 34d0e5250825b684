import { reserveInBoth, type SpendingLimit } from '../../src/credits/joint-budget.ts'
import { StarterFailure } from '../../src/errors/budget.ts'

/** Two budgets as one, with the errors that the caller of a request gets. */
export function joinBudgets(own: SpendingLimit, common: SpendingLimit): SpendingLimit {
  const unwrap = (error: unknown): never => {
    throw error instanceof StarterFailure ? error.reason : error
  }
  const attempt = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      return unwrap(error)
    }
  }
  return {
    check(credits, details) {
      own.check(credits, details)
      common.check(credits, details)
    },
    reserve(credits, details) {
      const reserved = attempt(() => reserveInBoth(own, common, credits, details))
      const unwrapped = (reservation: Awaited<typeof reserved>) => {
        const confirm = reservation.confirm.bind(reservation)
        reservation.confirm = (...args) => {
          const confirmed = attempt(() => confirm(...args))
          return confirmed instanceof Promise ? confirmed.catch(unwrap) : undefined
        }
        return reservation
      }
      return reserved instanceof Promise ? reserved.catch(unwrap).then(unwrapped) : unwrapped(reserved)
    },
  }
}
