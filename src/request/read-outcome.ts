import { raceWithAbort } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { AttemptOutcome } from '../transport/transport.ts'
import { isForeignPage } from './billing.ts'
import { parseResponse } from './parse-response.ts'
import type { RequestEmit } from './request-events.ts'
import { errorOfFailure, errorOfResponse, foreignPageError } from './response-errors.ts'
import { retryAfterMs } from './retry-after.ts'
import { isSuccess } from './status.ts'
import type { RequestResult, RequestState } from './types.ts'
import { explainMismatch, isExpected } from './validate-response.ts'

/**
 * PARSE: the answer, as long as the attempt brought one.
 * @throws the error of how the attempt ended
 */
export function readOutcome(
  { response, failure }: AttemptOutcome,
  body: unknown,
  { request, settings, signal }: RequestState,
  clock: Clock,
): RequestResult {
  if (failure?.kind === 'aborted') throw signal.reason
  const head = response ?? failure.response
  const waitMs = head && !isSuccess(head.status) ? retryAfterMs(head.headers, clock.now()) : undefined
  const errorContext = { request, body, retryAfterMs: waitMs, timeoutMs: settings.timeoutMs }
  if (failure !== undefined) throw errorOfFailure(errorContext, failure)
  const { status, headers, text = '' } = response
  if (isForeignPage(response) && (isSuccess(status) || status === 404)) throw foreignPageError(errorContext, response)
  if (!isSuccess(status)) throw errorOfResponse(errorContext, response)
  return { envelope: parseResponse(request, response, body), text, status, headers }
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

/** VALIDATE: whether the answer is not as the contract says, where that is looked at. */
export function isMismatch({ envelope }: RequestResult, { request, settings }: RequestState): boolean {
  return settings.validate !== 'off' && !isExpected(request, envelope)
}

/** @throws ResponseError when mismatches are errors, else raises an event */
export async function reportMismatch(
  result: RequestResult,
  { request, settings, signal }: RequestState,
  emit: RequestEmit,
): Promise<void> {
  const issues = await raceWithAbort(explainMismatch(request, result, settings.validate), signal)
  emit({ type: 'response.mismatch', issues })
}
