import { isEtnMarketError } from '../errors/base.ts'
import type { BudgetExceededError } from '../errors/budget.ts'

export interface RefusalDetails {
  readonly status: number
  readonly code: string
  readonly message: string
  /** Undefined: the answer has no `Retry-After`. */
  readonly retryAfterMs?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A request that is answered with an error. */
export class Refusal extends Error {
  readonly details: RefusalDetails

  constructor(details: RefusalDetails) {
    super(details.message)
    this.details = details
  }
}

export const notFound = () => refuse(404, 'not_found', 'There is nothing at this path.')
export const badRequest = (message: string) => refuse(400, 'invalid_request', message)

/** GET is the only method of the service; HEAD is answered from the cache. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

export const methodNotAllowed = (message: string, allow = ALLOWED_METHODS) =>
  refuse(405, 'method_not_allowed', message, { headers: { allow } })

export function refuse(status: number, code: string, message: string, more: Partial<RefusalDetails> = {}): Refusal {
  return new Refusal({ status, code, message, ...more })
}

/** Where the service asks for no wait. */
const DEFAULT_WAIT_MS = 1_000

/**
 * How the failure of a call is answered. The page's key is not to blame for a refused one, and details that only the owner of
 * the key may read are left out.
 * @param now the wall clock
 * @param limit the credits of all visitors in a window
 */
export function refusalOf(error: unknown, now: number, limit?: number): Refusal {
  if (error instanceof Refusal) return error
  if (!isEtnMarketError(error)) return refuse(500, 'internal_error', 'The proxy failed.')
  const { name, code, message, status, retryAfterMs } = error
  switch (name) {
    case 'InvalidRequestError':
    case 'InvalidLimitError':
      return refuse(400, code, message)
    case 'AuthenticationError':
    case 'PermissionError':
    case 'InsufficientCreditsError':
      return refuse(502, 'upstream_refused', 'The service refuses the calls of this proxy. Tell its operator.')
    case 'NotFoundError':
      if (code === 'not_the_service') break
      return refuse(404, code, message)
    case 'RateLimitError':
    case 'ServerBusyError':
      return busy(retryAfterMs)
    case 'ServiceError':
      if (status === 503) return busy(retryAfterMs)
      break
    case 'TimeoutError':
      return refuse(504, 'upstream_timeout', 'The service did not answer in time. Try again.')
    case 'BudgetExceededError':
      return overBudget(error as BudgetExceededError, 'proxy', now, limit)
    case 'StateUnavailableError':
      return refuse(503, code, 'The proxy cannot reach its budget, so it sends nothing.', {
        retryAfterMs: DEFAULT_WAIT_MS,
      })
  }
  if (code === 'client_closed' || code === 'feed_closed')
    return refuse(503, 'proxy_closed', 'The proxy is shutting down.')
  return refuse(502, 'upstream_failed', 'The service did not answer as it should. Try again.')
}

/** @param limit the credits in a whole window, of one visitor or of all; undefined where nobody knows */
export function overBudget(
  { needed, resetsAt }: BudgetExceededError,
  of: 'visitor' | 'proxy',
  now: number,
  limit = Number.POSITIVE_INFINITY,
): Refusal {
  const [code, who, spent] =
    of === 'visitor'
      ? ['visitor_budget_exceeded', 'a visitor has', 'You have used up your']
      : ['budget_exceeded', 'all visitors together have', 'The proxy has used up its']
  const message =
    needed > limit
      ? `The call may cost ${needed} credits, and ${who} ${limit} at most: it never fits. Ask for less.`
      : `${spent} credits. Try again later.`
  return refuse(429, code, message, { retryAfterMs: resetsAt === undefined ? undefined : resetsAt - now })
}

function busy(retryAfterMs = DEFAULT_WAIT_MS): Refusal {
  return refuse(503, 'upstream_busy', 'The service is busy. Try again later.', { retryAfterMs })
}
