import pRetry, { AbortError, type Options } from 'p-retry'
import type { Admission, AdmissionRequest } from '../concurrency/admission-types.ts'
import { monotonicNow, sleep } from '../concurrency/clock.ts'
import type { PermitResult } from '../concurrency/permit.ts'
import type { Release } from '../concurrency/semaphore.ts'
import type { WatchedReservation } from '../credits/joint-budget.ts'
import { EtnMarketError } from '../errors/base.ts'
import { isBudgetRefusal } from '../errors/budget-refusal.ts'
import { attempt } from '../transport/attempt.ts'
import { isPromise } from '../utils/is-promise.ts'
import { permitResult } from './admission.ts'
import { balanceOf, chargeOf, settleCharge } from './billing.ts'
import { parseJson } from './parse-response.ts'
import { isMismatch, readOutcome, reportMismatch } from './read-outcome.ts'
import { createRequestEmit, type RequestEmit } from './request-events.ts'
import { awaitReservation, awaitState, confirmReservation, releaseReservation, reserve } from './reserve.ts'
import { cooldownError, cooldownOf, isRetryable, retryDelay } from './retry.ts'
import type { SendContext } from './send-context.ts'
import type { RequestResult, RequestState } from './types.ts'
import { lookAgain, waitForAborts, whileQueued } from './waits.ts'

/** ONE CHARGED REQUEST. Reserves its worst case now; then p-retry around admission -> transport -> billing -> parse -> validate. */
export async function send(state: RequestState, context: SendContext): Promise<RequestResult> {
  const { settings, signal, batchSlots } = state
  let releaseSlot: Release | undefined
  try {
    state.reservation = reserve(context.budget, state)
    await waitForAborts()
    if (isPromise(state.reservation)) await awaitReservation(state, state.reservation)
    if (batchSlots) releaseSlot = batchSlots.tryAcquire() ?? (await whileQueued(state, batchSlots.acquire(signal)))
    state.batch?.requireProgress()
    const onFailedAttempt: Options['onFailedAttempt'] = ({ error, attemptNumber, retriesLeft }) =>
      retriesLeft > 0 && isRetryable(error) ? prepareRetry(error, attemptNumber, state, context) : undefined
    return await pRetry(
      (number) => sendOnce(number, state, context),
      retryOptions(settings.retryLimit, onFailedAttempt),
    )
  } catch (error) {
    // p-retry wraps what is not an Error, such as the reason of a signal.
    throw signal.aborted ? signal.reason : error
  } finally {
    releaseReservation(state)
    releaseSlot?.()
  }
}

const shouldRetry: Options['shouldRetry'] = ({ error }) => isRetryable(error)
const shouldConsumeRetry = () => true

/** All of them: p-retry is slow to add what is missing, and would read `signal` and `unref` from a prototype that somebody has changed. */
function retryOptions(retries: number, onFailedAttempt: Options['onFailedAttempt']): Options {
  const complete: { [Name in keyof Options]-?: Options[Name] | undefined } = {
    retries,
    onFailedAttempt,
    shouldRetry,
    // The waits are ours.
    factor: 1,
    minTimeout: 0,
    maxTimeout: 0,
    maxRetryTime: Number.POSITIVE_INFINITY,
    randomize: false,
    shouldConsumeRetry,
    signal: undefined,
    unref: undefined,
  }
  return complete as Options
}

async function sendOnce(number: number, state: RequestState, context: SendContext): Promise<RequestResult> {
  const { request, settings, signal } = state
  const { clock, usage, transport } = context
  const emit = createRequestEmit(state, number, context.emit)
  const asked = request.isKeyless ? undefined : context.apiKey(signal)
  if (isPromise(asked)) state.hasWaited = true
  const apiKey = isPromise(asked) ? await asked : asked
  const turn = admissionRequest(apiKey ?? '', state, context)
  const reservation = state.reservation as WatchedReservation
  let admission: Admission | undefined
  let sent: number | undefined
  let result: PermitResult = 'unused'
  try {
    do {
      admission?.end('unused')
      const admitted = context.admission.admit(turn)
      admission = isPromise(admitted) ? await admitted.catch(doNotRetry) : admitted
      // After a wait it is looked at once more a turn of the event loop later: what was aborted or refused meanwhile is not sent.
      if (state.hasWaited || admission.hasWaited) await lookAgain(state, context)
      state.batch?.requireProgress()
      const confirmed = confirmReservation(state, reservation, context.keyName(turn.apiKey))
      if (isPromise(confirmed)) await awaitState(confirmed, state)
      signal.throwIfAborted()
    } while (!admission.isCurrent())
    const startedAt = monotonicNow(clock)
    const outcome = await attempt({
      transport,
      url: context.baseUrl() + request.path,
      headers: context.requestHeaders(apiKey, settings.headers),
      context: { operation: request.operation, callId: state.callId, attempt: number },
      maxResponseBytes: context.maxResponseBytes,
      timeoutMs: settings.timeoutMs,
      signal,
      clock,
      onSent() {
        // A redirect that is followed is no attempt of its own.
        if (sent !== undefined) return
        sent = usage.recordSent()
        state.totals.attempts++
        emit({ type: 'request.sent', params: state.params })
        // Afterwards, so that what a listener aborts is not sent.
        state.progress.isSending = true
        reservation.sent?.()
      },
    })
    result = permitResult(outcome)
    if (result === 'succeeded') context.recordProgress()
    const response = outcome.response ?? outcome.failure.response
    const status = response?.status
    state.batch?.recordEnd(response !== undefined, outcome.failure?.kind)
    const body = parseJson(response?.text)
    const remaining = response && balanceOf(request, response, body)
    if (remaining !== undefined && sent !== undefined) usage.recordRemaining(sent, remaining)
    settleCharge(chargeOf(request, outcome, body), state, reservation, remaining, usage, emit)

    const durationMs = monotonicNow(clock) - startedAt
    try {
      const result = readOutcome(outcome, body, state, clock)
      if (isMismatch(result, state)) await reportMismatch(result, state, emit)
      emit({ type: 'request.succeeded', durationMs, status: result.status })
      return result
    } catch (error) {
      const code = error instanceof EtnMarketError ? error.code : 'aborted'
      if (sent !== undefined)
        emit({ type: 'request.failed', durationMs, ...(status !== undefined && { status }), code })
      // Without a key a proxy answers: that a call does not fit a budget there holds up no other call.
      if (apiKey === undefined && isBudgetRefusal(error)) admission.end('succeeded')
      else startCooldown(error, admission, context, emit)
      throw error
    }
  } finally {
    state.progress.isSending = false
    admission?.end(sent === undefined ? 'unused' : result)
  }
}

/** What was not even admitted is not retried. */
function doNotRetry(error: unknown): never {
  throw isRetryable(error) ? new AbortError(error) : error
}

function admissionRequest(apiKey: string, state: RequestState, context: SendContext): AdmissionRequest {
  const { request, arrival, settings, signal, deadline, progress } = state
  return {
    isHeavy: request.isHeavy,
    apiKey,
    signal,
    arrival,
    progress,
    rejectWait(scope, waitMs) {
      const limits = { remainingMs: deadline.remaining(), maxRetryAfterMs: settings.maxRetryAfterMs }
      return cooldownError(scope, waitMs, limits, request.operation)
    },
    whileQueued: (wait) => whileQueued(state, wait),
    recordProgress: context.recordProgress,
  }
}

function startCooldown(error: unknown, admission: Admission, context: SendContext, emit: RequestEmit): void {
  const cooldown = cooldownOf(error, context.maxCooldownMs)
  if (cooldown === undefined) return
  const waitMs = admission.refuse(cooldown.scope, cooldown.waitMs)
  emit({ type: 'cooldown.started', scope: cooldown.scope, waitMs })
}

/** Waits, and reserves the credits of the next attempt. @throws the error itself when the wait is longer than the call allows */
async function prepareRetry(error: EtnMarketError, number: number, state: RequestState, context: SendContext) {
  const { clock, budget, emit } = context
  const { settings, deadline, signal } = state
  releaseReservation(state)
  if (state.progress.isAbandoned) throw error
  state.batch?.requireProgress()
  const waitMs = retryDelay(error, {
    attempt: number,
    remainingMs: deadline.remaining(),
    maxRetryAfterMs: settings.maxRetryAfterMs,
    random: clock.random(),
  })
  if (waitMs === undefined) throw error
  createRequestEmit(state, number, emit)({ type: 'retry.scheduled', code: error.code, waitMs })
  await sleep(clock, waitMs, signal)
  state.hasWaited = true
  state.batch?.requireProgress()
  state.reservation = reserve(budget, state, error)
  if (isPromise(state.reservation)) await awaitReservation(state, state.reservation)
}
