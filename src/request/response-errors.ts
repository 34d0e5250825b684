import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  InsufficientCreditsError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResponseError,
  ServerBusyError,
  ServiceError,
  TimeoutError,
} from '../errors/api.ts'
import type { ErrorDetails, EtnMarketError } from '../errors/base.ts'
import { isBudgetCode } from '../errors/budget.ts'
import { InvalidLimitError, InvalidRequestError } from '../errors/input.ts'
import { isObject } from '../operations/type-guards.ts'
import { cachedForMs } from '../transport/age.ts'
import { refusedTunnel } from '../transport/outcome.ts'
import type { HttpResponse, TransportFailure } from '../transport/transport.ts'
import { cleanLine } from '../utils/clean-line.ts'
import { parseUrl } from '../utils/runtime.ts'
import { isSuccess } from './billing.ts'
import type { PlannedRequest } from './plan-requests.ts'

export interface ErrorContext {
  readonly request: PlannedRequest
  /** The parsed body, undefined where it is no JSON. */
  readonly body: unknown
  /** Whether something between the client and the service answered. */
  readonly isForeign: boolean
  readonly retryAfterMs: number | undefined
  readonly timeoutMs: number
}

type ErrorClass = new (message: string, details: ErrorDetails) => EtnMarketError

/** A 2xx with a web page: the base URL does not lead to the service, or a page stands in for an answer that was lost. */
export function foreignPageError({ operation }: PlannedRequest, { status, text }: HttpResponse): EtnMarketError {
  return new ResponseError(
    `${operation}: a web page answered (${status}, text/html), not the service. Check baseUrl, and that the proxy forwards this path.`,
    { operation, code: 'not_the_service', status, body: text },
  )
}

export function errorOfResponse(
  context: ErrorContext,
  { status, headers, text }: HttpResponse,
  cause?: unknown,
): EtnMarketError {
  const { request, body, isForeign, retryAfterMs } = context
  const { code = isForeign ? 'front_error' : undefined, message } = isForeign ? {} : errorFields(body)
  const [Problem, advice] = classify(status, code)
  const reason = message === undefined ? '' : ` ("${message}")`
  const answer = isForeign
    ? `something in front of the service answered ${status}. ${Problem === ServiceError ? advice : FRONT_ADVICE}`
    : `the service answered ${status}${code === undefined ? '' : ` ${code}`}${reason}. ${advice}`
  return new Problem(`${request.operation}: ${answer}`, {
    operation: request.operation,
    code: code ?? `http_${status}`,
    status,
    retryAfterMs,
    cachedForMs: cachedForMs(headers.get('age')) || undefined,
    body: bodyOfError(body, text),
    cause,
  })
}

const FRONT_ADVICE = 'Check baseUrl and the proxy, gateway or firewall on the way; error.body has its answer.'

function classify(status: number, code: string | undefined): [ErrorClass, advice: string] {
  if (status >= 500) {
    if (status === 503 && code === 'server_busy')
      return [ServerBusyError, 'The heavy routes are at their limit: try again later.']
    return [ServiceError, 'Try again later.']
  }
  if (code === 'insufficient_credits' || status === 402)
    return [InsufficientCreditsError, 'Nothing was executed: add credits to the key.']
  if (status === 400 && code === 'invalid_limit') return [InvalidLimitError, 'Correct the limit.']
  if (status === 400) return [InvalidRequestError, 'Correct the parameters.']
  if (status === 401)
    return [AuthenticationError, 'Pass a valid key to createClient({ apiKey }) or set ETN_MARKET_API_KEY.']
  if (status === 403) return [PermissionError, 'The key has no permission for this.']
  if (status === 404) return [NotFoundError, 'It does not exist, or not yet.']
  if (status === 408) return [ServiceError, 'Try again later.']
  if (status === 429 && isBudgetCode(code)) return [RateLimitError, 'Cheaper calls may fit.']
  if (status === 429) return [RateLimitError, 'Send less with this key: about twenty refusals in a minute lock it.']
  return [ApiError, 'See error.body.']
}

export function errorOfFailure(context: ErrorContext, failure: TransportFailure): EtnMarketError {
  const { request, retryAfterMs, timeoutMs } = context
  const { kind, mayHaveArrived, response, cause } = failure
  const { operation } = request
  switch (kind) {
    case 'redirect':
      return new ApiError(
        `${operation}: the service answered with a redirect to ${originOf(cause)}, which is not followed. Correct baseUrl.`,
        { operation, code: 'redirect_not_followed' },
      )
    case 'hook': {
      const message = `${operation}: the hook ${failure.hook} failed (${reasonOf(cause)}). The call is not retried.`
      const details = { operation, code: 'hook_failed', status: response?.status, retryAfterMs, cause }
      return response
        ? new ResponseError(message, { ...details, body: response.text })
        : new InvalidRequestError(message, details)
    }
    case 'not_built': {
      const message = `${operation}: the request could not be built (${reasonOf(cause)}). Nothing was sent, and the call is not retried. Check what replaces Request or AbortSignal here, such as jsdom.`
      return new InvalidRequestError(message, { operation, code: 'request_not_built', cause })
    }
    case 'too_large':
      return new ResponseError(
        `${operation}: ${reasonOf(cause)}. The call is not retried. Allow a larger maxResponseBytes if the service sends such answers.`,
        { operation, code: 'response_too_large', status: response?.status, retryAfterMs, cause },
      )
    case 'invalid_fetch':
      return new ResponseError(`${operation}: ${reasonOf(cause)}. Return a new response for each call.`, {
        operation,
        code: 'invalid_fetch',
        cause,
      })
  }
  if (response !== undefined && !isSuccess(response.status))
    return errorOfResponse({ ...context, body: undefined, retryAfterMs }, response, cause)
  const status = response?.status
  if (kind === 'not_decoded')
    return new ResponseError(
      `${operation}: the body of the answer cannot be decoded (${reasonOf(cause)}). The call was paid for and is not retried. Check what compresses answers on the way.`,
      { operation, code: 'not_decoded', status, cause },
    )
  if (kind === 'timeout') {
    const problem = response === undefined ? 'no answer arrived' : 'the answer did not end'
    return new TimeoutError(
      `${operation}: ${problem} within ${timeoutMs} ms. Try again, or allow a longer timeoutMs.`,
      { operation, code: 'attempt_timeout', status, cause },
    )
  }
  const refusal = mayHaveArrived ? undefined : refusedTunnel(cause)
  if (refusal !== undefined)
    return new ConnectionError(
      `${operation}: a forward proxy opened no tunnel to the service (${reasonOf(cause)}). Nothing was sent. A 407 asks for the proxy's own credentials.`,
      { operation, code: 'proxy_refused', status: refusal.status, cause },
    )
  return new ConnectionError(
    `${operation}: ${connectionProblem(failure)} (${reasonOf(cause)}). Check the network and baseUrl, then try again.`,
    { operation, code: mayHaveArrived ? 'connection_lost' : 'connection_failed', status, cause },
  )
}

function connectionProblem({ mayHaveArrived, response }: TransportFailure): string {
  if (!mayHaveArrived) return 'the service could not be reached'
  return response === undefined ? 'the connection broke' : 'the answer was cut off'
}

/** What a log can print. */
const ERROR_CODE = /^[a-z0-9_.-]{1,64}$/

function errorFields(body: unknown): { code?: string; message?: string } {
  const error = isObject(body) ? body.error : undefined
  if (!isObject(error)) return {}
  const code = typeof error.code === 'string' ? error.code.trim().toLowerCase() : ''
  const message = typeof error.message === 'string' ? cleanLine(error.message) : undefined
  return { ...(ERROR_CODE.test(code) && { code }), ...(message !== undefined && { message }) }
}

function originOf(location: unknown): string {
  return (typeof location === 'string' && parseUrl(location)?.origin) || 'another place'
}

/** The innermost cause says most: the message of `fetch` is always the same. */
function reasonOf(cause: unknown): string {
  let reason = cause
  for (let depth = 0; depth < 5 && isObject(reason) && isObject(reason.cause); depth++) reason = reason.cause
  if (!isObject(reason)) return String(reason)
  const code = typeof reason.code === 'string' ? reason.code : ''
  const message = typeof reason.message === 'string' ? reason.message : ''
  const parts = message.includes(code) ? [message] : [code, message]
  return parts.filter((part) => part !== '').join(' ') || 'no reason given'
}

/** An error keeps a longer body as text: a copy without secrets is made of it for each caller. */
const MAX_PARSED_LENGTH = 100_000

export function bodyOfError(body: unknown, text: string | undefined): unknown {
  return body === undefined || (text !== undefined && text.length > MAX_PARSED_LENGTH) ? text : body
}
