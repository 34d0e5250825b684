import { raceWithAbort } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
import { ResponseError } from '../errors/api.ts'
import { answerGuards } from '../generated/guards.ts'
import { explainMismatch } from '../operations/explain-mismatch.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import { retryAfterMs } from '../transport/retry-after.ts'
import type { AttemptOutcome, HttpResponse, ResponseHeaders } from '../transport/transport.ts'
import { parseJson } from '../utils/json-data.ts'
import { isForeignPage, isFromFront, isSuccess } from './billing.ts'
import type { PlannedRequest } from './plan-requests.ts'
import { bodyOfError, errorOfFailure, errorOfResponse, foreignPageError } from './response-errors.ts'
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

export function receive(outcome: AttemptOutcome): Received {
  const response = outcome.response ?? outcome.failure.response
  return { outcome, response, body: parseJson(response?.text) }
}

/** @throws ResponseError when the body has no data: it was paid for all the same */
function parseResponse(request: PlannedRequest, response: HttpResponse, body: unknown): Envelope {
  const envelope = toEnvelope(request, body)
  if (envelope !== undefined) return envelope
  const problem = body === undefined ? 'is not JSON' : 'has no "data"'
  throw new ResponseError(
    `${request.operation}: the service answered ${response.status}, but the body ${problem}. The call was paid for and is not retried; the body is in error.body.`,
    {
      operation: request.operation,
      code: body === undefined ? 'not_json' : 'no_data',
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
  { request, settings, shared }: ChargedRequest,
  clock: Clock,
): RequestResult {
  const { response, failure, answered } = outcome
  if (response !== undefined && isSuccess(response.status)) {
    if (isForeignPage(response)) throw foreignPageError(request, response)
    const { status, headers, text = '' } = response
    return { envelope: parseResponse(request, response, body), text, status, headers }
  }
  if (failure?.kind === 'aborted') throw shared.signal.reason
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
  { request: { operation }, settings, shared, emit }: ChargedRequest,
): Promise<void> {
  const issues = await raceWithAbort(explainMismatch(operation, envelope), shared.signal)
  if (settings.validate === 'warn') return emit?.({ type: 'response.mismatch', issues })
  const first = issues.slice(0, 1).map(({ path, message }) => `${path || 'the body'}: ${message}`)
  throw new ResponseError(
    `${operation}: the answer does not match the contract (${first}). The call was paid for and is not retried; the body is in error.body.`,
    { operation, code: 'unexpected_shape', issues, body: bodyOfError(envelope, text) },
  )
}
