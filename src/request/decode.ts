import {
  ApiError,
  AuthenticationError,
  InsufficientCreditsError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerBusyError,
  ServiceError,
} from '../errors/api.ts'
import type { ErrorDetails, EtnMarketError } from '../errors/base.ts'
import { InvalidLimitError, InvalidRequestError } from '../errors/input.ts'
import { ConnectionError, TimeoutError } from '../errors/network.ts'
import { ResponseError } from '../errors/response.ts'
import { operations } from '../generated/operations.ts'
import { isObject } from '../guard.ts'
import type { Operation } from '../operation.ts'
import { type Envelope, isSuccess, type Loss, type Part, type Reply, type Tally, type TripEnd } from './types.ts'

type Details = Omit<ErrorDetails, 'code'>

/** JSON, or undefined where the text is none. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What an attempt came to: the envelope, or the error of how it ended. `aborted` trips have no error of ours. */
export function decode(
  part: Part,
  end: TripEnd,
  body: unknown,
  waitMs: number | undefined,
  timeoutMs: number,
  tally: Tally,
): Envelope {
  if (end.reply && isSuccess(end.reply.status)) return openEnvelope(part, end.reply, body, tally)
  const details = { ...tally, operation: part.operation }
  throw end.reply
    ? errorOfReply(part, end.reply, body, waitMs, details)
    : errorOfLoss(part, end.loss, waitMs, timeoutMs, details)
}

/** The envelope of a success. @throws ResponseError when it holds no data: it was paid for all the same. */
function openEnvelope(part: Part, reply: Reply, body: unknown, tally: Tally): Envelope {
  const { bareField }: Operation = operations[part.operation]
  if (isObject(body)) {
    if (Object.hasOwn(body, 'data')) return body as unknown as Envelope
    if (bareField && Object.hasOwn(body, bareField)) return { data: body, cursor: null }
  }
  const what = body === undefined ? 'is not JSON' : 'has no "data"'
  throw new ResponseError(
    `${part.operation}: the service answered ${reply.status}, but the body ${what}. It was paid for and is not asked again; it is in error.body.`,
    {
      ...tally,
      operation: part.operation,
      code: body === undefined ? 'not_json' : 'no_data',
      status: reply.status,
      body: body ?? reply.text,
    },
  )
}

/** The error of an answer that is not a success. */
function errorOfReply(
  part: Part,
  { status, text }: Reply,
  body: unknown,
  waitMs: number | undefined,
  details: Details,
): EtnMarketError {
  const { code, message } = errorFields(body)
  const [Problem, advice] = classify(status, code)
  const said = message === undefined ? '' : ` ("${message}")`
  return new Problem(
    `${part.operation}: the service answered ${status}${code === undefined ? '' : ` ${code}`}${said}. ${advice}`,
    {
      ...details,
      code: code ?? `http_${status}`,
      status,
      retryAfterMs: waitMs,
      body: body ?? text,
    },
  )
}

type ErrorClass = new (message: string, details: ErrorDetails) => EtnMarketError

function classify(status: number, code: string | undefined): [ErrorClass, string] {
  if (status >= 500) {
    if (status === 503 && code === 'server_busy')
      return [ServerBusyError, 'Its heavy routes are at their limit: try again later.']
    return [ServiceError, 'Try again later.']
  }
  if (code === 'insufficient_credits' || status === 402)
    return [InsufficientCreditsError, 'Nothing was executed: add credits to the key.']
  if (status === 400 && code === 'invalid_limit') return [InvalidLimitError, 'Correct the limit.']
  if (status === 400) return [InvalidRequestError, 'Correct the parameters.']
  if (status === 401)
    return [AuthenticationError, 'Hand a valid key to createClient({ apiKey }) or set ETN_MARKET_API_KEY.']
  if (status === 403) return [PermissionError, 'The key may not do this.']
  if (status === 404) return [NotFoundError, 'There is no such thing, or not yet.']
  if (status === 408) return [ServiceError, 'Try again later.']
  if (status === 429) return [RateLimitError, 'Send less with this key: some twenty refusals within a minute lock it.']
  return [ApiError, 'See error.body.']
}

/** The error of an attempt whose answer got lost. */
function errorOfLoss(
  part: Part,
  loss: Loss,
  waitMs: number | undefined,
  timeoutMs: number,
  details: Details,
): EtnMarketError {
  const { kind, sent, reply, cause } = loss
  if (kind === 'redirect') {
    return new ApiError(
      `${part.operation}: the service answered with a redirect to ${originOf(cause)}, which is not followed. Correct baseUrl.`,
      {
        ...details,
        code: 'redirect_not_followed',
      },
    )
  }
  if (reply !== undefined && !isSuccess(reply.status))
    return errorOfReply(part, reply, undefined, waitMs, { ...details, cause })
  const status = reply?.status
  if (kind === 'timeout') {
    const what = reply === undefined ? 'no answer came' : 'the answer did not end'
    return new TimeoutError(
      `${part.operation}: ${what} within ${timeoutMs} ms. Try again, or allow a longer timeoutMs.`,
      {
        ...details,
        code: 'attempt_timeout',
        status,
        cause,
      },
    )
  }
  const what = !sent
    ? 'the service could not be reached'
    : reply === undefined
      ? 'the connection broke'
      : 'the answer was cut off'
  return new ConnectionError(
    `${part.operation}: ${what} (${reasonOf(cause)}). Check the network and baseUrl, then try again.`,
    {
      ...details,
      code: sent ? 'connection_lost' : 'connection_failed',
      status,
      cause,
    },
  )
}

function errorFields(body: unknown): { code?: string; message?: string } {
  const error = isObject(body) ? body.error : undefined
  if (!isObject(error)) return {}
  return {
    ...(typeof error.code === 'string' && error.code.trim() !== '' ? { code: error.code.trim().toLowerCase() } : {}),
    ...(typeof error.message === 'string' ? { message: error.message } : {}),
  }
}

function originOf(location: unknown): string {
  return typeof location === 'string' && URL.canParse(location) ? new URL(location).origin : 'another place'
}

/** The innermost cause tells most: fetch's own message is always the same. */
function reasonOf(cause: unknown): string {
  let reason = cause
  for (let depth = 0; depth < 5 && isObject(reason) && isObject(reason.cause); depth++) reason = reason.cause
  if (!isObject(reason)) return String(reason)
  return (
    [reason.code, reason.message].filter((part) => typeof part === 'string' && part !== '').join(' ') ||
    'no reason given'
  )
}
