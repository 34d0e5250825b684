import { RateLimitError } from './api.ts'

/** Whether a code is one of `etn-market/proxy` for a call that does not fit: a cheaper one may, and cached answers always do. */
export const isBudgetCode = (code = ''): boolean => /^(visitor_)?budget_exceeded$/.test(code)

/** Whether a proxy refused a call for its cost: that says nothing about the calls that the service takes. */
export const isBudgetRefusal = (error: unknown): boolean => error instanceof RateLimitError && isBudgetCode(error.code)
