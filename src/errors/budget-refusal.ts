import { RateLimitError } from './api.ts'

const BUDGET_CODES = ['visitor_budget_exceeded', 'budget_exceeded']

/** Whether a code is one of `etn-market/proxy` for a call that does not fit: a cheaper one may, and cached answers always do. */
export const isBudgetCode = (code: string | undefined): boolean => code !== undefined && BUDGET_CODES.includes(code)

/** Whether a proxy refused a call for its cost: that says nothing about the calls that the service takes. */
export const isBudgetRefusal = (error: unknown): boolean => error instanceof RateLimitError && isBudgetCode(error.code)
