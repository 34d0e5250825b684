import { raceWithAbort } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
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
import { answerGuards } from '../generated/guards.ts'
import { explainMismatch } from '../operations/explain-mismatch.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import { cachedForMs } from '../transport/age.ts'
import { refusedTunnel } from '../transport/outcome.ts'
import { retryAfterMs } from '../transport/retry-after.ts'
import type { AttemptOutcome, HttpResponse, ResponseHeaders, TransportFailure } from '../transport/transport.ts'
import { cleanLine } from '../utils/clean-line.ts'
import { isTooDeep, MAX_LEVELS, parseJson } from '../utils/json-data.ts'
import { parseUrl } from '../utils/runtime.ts'
import { isForeignPage, isFromFront, isSuccess } from './billing.ts'
import type { PlannedRequest } from './plan-requests.ts'
import type { ChargedRequest } from './send.ts'

/** What every answer of the service is wrapped in. */
export interface Envelope {
  readonly data: unknown
  readonly cursor?: unknown
}

/** What the service answered to a request. */
export interface RequestResult {
  readonly envelope: Envelope
  /** The body, from which each caller who shares the answer gets a copy. */
  readonly text: string
  readonly status: number
  readonly headers: ResponseHeaders
}

/** One of the cache has no more than its envelope. */
export type Answer = Pick<RequestResult, 'envelope'> & Partial<RequestResult>

/** How an attempt ended, with what was answered, as far as it arrived. */
export interface Received {
  readonly outcome: AttemptOutcome
  readonly response: HttpResponse | undefined
  /** The parsed JSON, undefined where the body is none. */
  readonly body: unknown
}

/** @throws ResponseError when the body has no data: it was paid for all the same */
function parseResponse(request: PlannedRequest, response: HttpResponse, body: unknown): Envelope {
  const envelope = toEnvelope(request, body)
  const isDeep = envelope !== undefined && isTooDeep(response.text ?? '')
  if (envelope !== undefined && !isDeep) return envelope
  const [code, problem] =
    body === undefined
      ? ['not_json', 'is not JSON']
      : isDeep
        ? ['too_deep', `has more than ${MAX_LEVELS} levels`]
        : ['no_data', 'has no "data"']
  throw new ResponseError(
    `${request.operation}: the service answered ${response.status}, but the body ${problem}. The call was paid for and is not retried; the body is in error.body.`,
    {
      operation: request.operation,
      code,
      status: response.status,
      body: bodyOfError(body, response.text),
    },
  )
}

export function copyEnvelope(request: PlannedRequest, text: string): Envelope | undefined {
  return toEnvelope(request, parseJson(text))
}

function toEnvelope({ operation, bareField }: PlannedRequest, body: unknown): Envelope | undefined {
  if (!isObject(body)) return undefined
  const isBare = bareField !== undefined && Object.hasOwn(body, bareField)
  const envelope = Object.hasOwn(body, 'data') ? (body as unknown as Envelope) : isBare ? { data: body } : undefined
  // The service does not promise an order of candles; the client does.
  if (operation === 'token.candles' && isArray(envelope?.data)) sortByTime(envelope.data as unknown[])
  return envelope
}

function sortByTime(candles: unknown[]): void {
  const timeOf = (candle: unknown) => (isObject(candle) && typeof candle.time === 'number' ? candle.time : 0)
  for (let i = 1; i < candles.length; i++) {
    if (timeOf(candles[i - 1]) <= timeOf(candles[i])) continue
    candles.sort((one, other) => timeOf(one) - timeOf(other))
    return
  }
}

/** Whether the answer matches the contract. The contract knows nothing of `client.request()`. */
export function isExpected({ operation }: PlannedRequest, envelope: Envelope): boolean {
  return operation === 'request' || answerGuards[operation](envelope)
}

/** PARSE: the answer of the attempt. @throws the error that it ended in */
export function readOutcome(
  { outcome, response: head, body }: Received,
  { request, settings, signal }: ChargedRequest,
  clock: Clock,
): RequestResult {
  const { response, failure, answered } = outcome
  if (response !== undefined && isSuccess(response.status)) {
    if (isForeignPage(response)) throw foreignPageError(request, response)
    const { status, headers, text = '' } = response
    return { envelope: parseResponse(request, response, body), text, status, headers }
  }
  if (failure?.kind === 'aborted') throw signal.reason
  const waitMs = head && !isSuccess(head.status) ? retryAfterMs(head.headers, clock.now()) : undefined
  // An answer of a hook is none of a front.
  const isForeign = answered === undefined && isFromFront(head, body)
  const errorContext = { request, body, isForeign, retryAfterMs: waitMs, timeoutMs: settings.timeoutMs }
  throw failure === undefined ? errorOfResponse(errorContext, response) : errorOfFailure(errorContext, failure)
}

/** The error that an outcome ends in; undefined where it ends in an answer. */
export function errorOf(...args: Parameters<typeof readOutcome>): unknown {
  try {
    readOutcome(...args)
    return undefined
  } catch (error) {
    return error
  }
}

/** VALIDATE: raises an event for an answer that does not match the contract. @throws ResponseError where mismatches are errors */
export async function reportMismatch(
  { envelope, text }: RequestResult,
  { request: { operation }, settings, signal, emit }: ChargedRequest,
): Promise<void> {
  const issues = await raceWithAbort(explainMismatch(operation, envelope), signal)
  if (settings.validate === 'warn') return emit?.({ type: 'response.mismatch', issues })
  const first = issues.slice(0, 1).map(({ path, message }) => `${path || 'the body'}: ${message}`)
  throw new ResponseError(
    `${operation}: the answer does not match the contract (${first}). The call was paid for and is not retried; the body is in error.body.`,
    { operation, code: 'unexpected_shape', issues, body: bodyOfError(envelope, text) },
  )
}

interface ErrorContext {
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
function foreignPageError({ operation }: PlannedRequest, { status, text }: HttpResponse): EtnMarketError {
  return new ResponseError(
    `${operation}: a web page answered (${status}, text/html), not the service. Check baseUrl, and that the proxy forwards this path.`,
    { operation, code: 'not_the_service', status, body: text },
  )
}

function errorOfResponse(
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

function errorOfFailure(context: ErrorContext, failure: TransportFailure): EtnMarketError {
  const { request, retryAfterMs, timeoutMs } = context
  const { kind, mayHaveArrived, response, cause } = failure
  const { operation } = request
  const status = response?.status
  const reason = reasonOf(cause)
  const fail = (Problem: ErrorClass, code: string, message: string, more: Omit<ErrorDetails, 'code'> = { cause }) =>
    new Problem(`${operation}: ${message}`, { operation, code, ...more })
  switch (kind) {
    case 'redirect': {
      const message = `the service answered with a redirect to ${originOf(cause)}, which is not followed. Correct baseUrl.`
      return fail(ApiError, 'redirect_not_followed', message, {})
    }
    case 'hook': {
      const message = `the hook ${failure.hook} failed (${reason}). The call is not retried.`
      const details = { status, retryAfterMs, cause }
      return response
        ? fail(ResponseError, 'hook_failed', message, { ...details, body: response.text })
        : fail(InvalidRequestError, 'hook_failed', message, details)
    }
    case 'not_built': {
      const message = `the request could not be built (${reason}). Nothing was sent, and the call is not retried. Check what replaces Request or AbortSignal here, such as jsdom.`
      return fail(InvalidRequestError, 'request_not_built', message)
    }
    case 'too_large': {
      const message = `${reason}. The call is not retried. Allow a larger maxResponseBytes if the service sends such answers.`
      return fail(ResponseError, 'response_too_large', message, { status, retryAfterMs, cause })
    }
    case 'invalid_fetch':
      return fail(ResponseError, 'invalid_fetch', `${reason}. Return a new response for each call.`)
  }
  if (response !== undefined && !isSuccess(response.status))
    return errorOfResponse({ ...context, body: undefined }, response, cause)
  if (kind === 'not_decoded') {
    const message = `the body of the answer cannot be decoded (${reason}). The call was paid for and is not retried. Check what compresses answers on the way.`
    return fail(ResponseError, 'not_decoded', message, { status, cause })
  }
  if (kind === 'timeout') {
    const problem = response === undefined ? 'no answer arrived' : 'the answer did not end'
    const message = `${problem} within ${timeoutMs} ms. Try again, or allow a longer timeoutMs.`
    return fail(TimeoutError, 'attempt_timeout', message, { status, cause })
  }
  const refusal = mayHaveArrived ? undefined : refusedTunnel(cause)
  if (refusal !== undefined) {
    const message = `a forward proxy opened no tunnel to the service (${reason}). Nothing was sent. A 407 asks for the proxy's own credentials.`
    return fail(ConnectionError, 'proxy_refused', message, { status: refusal.status, cause })
  }
  const code = mayHaveArrived ? 'connection_lost' : 'connection_failed'
  const message = `${connectionProblem(failure)} (${reason}). Check the network and baseUrl, then try again.`
  return fail(ConnectionError, code, message, { status, cause })
}

function connectionProblem({ mayHaveArrived, response }: TransportFailure): string {
  if (!mayHaveArrived) return 'the service could not be reached'
  return response === undefined ? 'the connection broke' : 'the answer was cut off'
}

/** What a log can print. */
const ERROR_CODE = /^[a-z0-9_.-]{1,64}$/
/** A longer text is in the body alone. A part of it could be a part of a key. */
const MAX_ERROR_TEXT = 1_000

function errorFields(body: unknown): { code?: string; message?: string } {
  const error = isObject(body) ? body.error : undefined
  if (!isObject(error)) return {}
  const code = isShortText(error.code) ? error.code.trim().toLowerCase() : ''
  const message = isShortText(error.message) ? cleanLine(error.message) : undefined
  return { ...(ERROR_CODE.test(code) && { code }), ...(message !== undefined && { message }) }
}

const isShortText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_ERROR_TEXT

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

function bodyOfError(body: unknown, text: string | undefined): unknown {
  return body === undefined || (text !== undefined && text.length > MAX_PARSED_LENGTH) ? text : body
}
