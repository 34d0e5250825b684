import { RateLimitError } from './api.ts'

/** A 429 of `etn-market/proxy`, `visitor_budget_exceeded` or `budget_exceeded`: a cheaper call may fit, and cached answers always do. */
export const isBudgetCode = (code = ''): boolean => code.endsWith('budget_exceeded')

/** Whether a proxy refused a call for its cost: that says nothing about the calls that the service takes. */
export const isBudgetRefusal = (error: unknown): boolean => error instanceof RateLimitError && isBudgetCode(error.code)
