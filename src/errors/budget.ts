import { type ErrorDetails, EtnMarketError } from './base.ts'

/** The worst case of a call does not fit what is left of the budget. Nothing was sent. */
export class BudgetExceededError extends EtnMarketError {
  override get name(): string {
    return 'BudgetExceededError'
  }
  /** Worst case that had to fit, in credits. */
  readonly needed: number
  /** Credits that were free. */
  readonly available: number
  /** When the budget's window ends, unix milliseconds; undefined for a budget without a window. */
  readonly resetsAt: number | undefined

  constructor(
    message: string,
    details: Omit<ErrorDetails, 'code'> & { needed: number; available: number; resetsAt: number | undefined },
  ) {
    super(message, { ...details, code: 'budget_exceeded' })
    this.needed = details.needed
    this.available = details.available
    this.resetsAt = details.resetsAt
  }
}
