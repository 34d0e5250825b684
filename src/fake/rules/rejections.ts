import { cut } from './check-options.ts'

/** An error of the service: never charged, and without credit headers. */
export interface Rejection {
  status: number
  code: string
  message: string
  headers?: [name: string, value: string][]
}

export function invalidRequest(message: string): Rejection {
  return { status: 400, code: 'invalid_request', message }
}

export function invalidLimit(message: string): Rejection {
  return { status: 400, code: 'invalid_limit', message }
}

export function unauthorized(key: string | undefined): Rejection {
  const message = key === undefined ? 'A key is required: Authorization: Bearer <key>.' : 'The key is unknown.'
  return { status: 401, code: 'unauthorized', message }
}

export function insufficientCredits(cost: number, credits: number): Rejection {
  const message = `This call costs ${cost} credits and the key has ${credits}. Nothing was executed and nothing was charged.`
  return { status: 402, code: 'insufficient_credits', message }
}

export function notFound(message: string): Rejection {
  return { status: 404, code: 'not_found', message }
}

export function methodNotAllowed(method: string): Rejection {
  const message = `Every call is a GET; ${cut(method)} is not answered.`
  return { status: 405, code: 'method_not_allowed', message, headers: [['Allow', 'GET']] }
}

export function rateLimited(message: string, retryAfterSeconds: number): Rejection {
  return { status: 429, code: 'rate_limited', message, headers: [['Retry-After', String(retryAfterSeconds)]] }
}

export function serverBusy(slots: number, retryAfterSeconds: number): Rejection {
  const message = `The heavy routes are at their limit of ${slots} calls in flight across all keys. Nothing was charged.`
  return { status: 503, code: 'server_busy', message, headers: [['Retry-After', String(retryAfterSeconds)]] }
}
