import pRetry, { AbortError, type Options } from 'p-retry'
import type { Admission, AdmissionRequest, PermitResult } from '../concurrency/admission-types.ts'
import { monotonicNow, sleep } from '../concurrency/clock.ts'
import type { Release } from '../concurrency/semaphore.ts'
import type { Reservation } from '../credits/budget.ts'
import { EtnMarketError } from '../errors/base.ts'
import { isBudgetRefusal } from '../errors/budget.ts'
import { attempt } from '../transport/attempt.ts'
import { responseOf } from '../transport/outcome.ts'
import type { AttemptOutcome } from '../transport/transport.ts'
import { isPromise } from '../utils/runtime.ts'
import { permitResult } from './admission.ts'
import { balanceOf, chargeOf, settleCharge } from './billing.ts'
import { LastLook } from './last-look.ts'
import { errorOf, isMismatch, parseJson, readOutcome, reportMismatch } from './read-answer.ts'
import { createRequestEmit, type RequestEmit } from './request-events.ts'
import { releaseReservation, reserve, reserveFirst } from './reserve.ts'
import { cooldownError, cooldownOf, isRetryable, retryDelay } from './retry.ts'
import type { RequestResult, RequestState, SendContext } from './types.ts'

/** ONE CHARGED REQUEST. Reserves its worst case now; then p-retry around admission -> transport -> billing -> parse -> validate. */
export async function send(state: RequestState, context: SendContext): Promise<RequestResult> {
  const { settings, signal, batchSlots } = state
  let releaseSlot: Release | undefined
  try {
    const reserved = reserveFirst(context.budget, state)
    reserved.catch(() => {})
    await waitForAborts()
    await reserved
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
  const { request, settings, signal, totals } = state
  const { clock, usage, transport } = context
  const emit = createRequestEmit(state, number, context.emit)
  const asked = request.isKeyless ? undefined : context.apiKey(signal)
  if (isPromise(asked)) state.hasWaited = true
  const apiKey = isPromise(asked) ? await asked : asked
  const turn = admissionRequest(apiKey ?? '', state, context)
  const reservation = state.reservation as Reservation
  const look = new LastLook(state, context, reservation, context.keyName(turn.apiKey))
  let startedAt = 0
  let isTried = false
  let sent: number | undefined
  let result: PermitResult = 'unused'
  const mayBeSent = () => {
    // A redirect that is followed is no attempt of its own.
    if (sent !== undefined) signal.throwIfAborted()
    else if (!look.mayBeSent()) return false
    else {
      sent = usage.recordSent()
      emit({ type: 'request.sent', params: state.params })
      // Afterwards, so that what a listener aborts is not sent.
      signal.throwIfAborted()
      totals.attempts++
      state.progress.isSending = true
    }
    return true
  }
  try {
    let outcome: AttemptOutcome | undefined
    do {
      look.admission?.end('unused')
      const admitted = context.admission.admit(turn)
      look.admission = isPromise(admitted) ? await admitted.catch(doNotRetry) : admitted
      await look.prepare(state.hasWaited || look.admission.hasWaited)
      if (!look.admission.isCurrent()) continue
      startedAt = monotonicNow(clock)
      isTried = false
      outcome = await attempt({
        transport,
        url: context.baseUrl() + request.path,
        headers: context.requestHeaders(apiKey, settings.headers),
        context: { operation: request.operation, callId: state.callId, attempt: number },
        maxResponseBytes: context.maxResponseBytes,
        timeoutMs: settings.timeoutMs,
        signal,
        clock,
        onConnecting() {
          isTried = true
        },
        prepareLook: () => look.prepare(true),
        mayBeSent,
      })
      // Without an outcome, its time went by while hooks ran or a connection was waited for.
    } while (outcome === undefined)
    if (isTried && sent === undefined) {
      sent = usage.recordSent()
      emit({ type: 'request.sent', params: state.params })
      totals.attempts++
    }
    // What a hook made of an answer is for the caller; what it cost and refused is the service's word.
    const { answered = outcome } = outcome
    result = permitResult(answered)
    if (result === 'succeeded') context.recordProgress()
    const response = responseOf(outcome)
    const body = parseJson(response?.text)
    const answer = responseOf(answered)
    const answeredBody = answered === outcome ? body : parseJson(answer?.text)
    state.batch?.recordEnd(response !== undefined, outcome.failure?.kind)
    const remaining = answer && balanceOf(request, answer, answeredBody)
    if (remaining !== undefined && sent !== undefined) usage.recordRemaining(sent, remaining)
    settleCharge(chargeOf(request, answered, answeredBody), state, reservation, remaining, usage, emit)

    const durationMs = monotonicNow(clock) - startedAt
    let failure: unknown
    try {
      const result = readOutcome(outcome, body, state, clock)
      if (isMismatch(result, state)) await reportMismatch(result, state, emit)
      if (sent !== undefined) emit({ type: 'request.succeeded', durationMs, status: result.status })
      return result
    } catch (error) {
      failure = error
      const status = response?.status
      const code = error instanceof EtnMarketError ? error.code : 'aborted'
      if (sent !== undefined)
        emit({ type: 'request.failed', durationMs, ...(status !== undefined && { status }), code })
      throw error
    } finally {
      const refusal = answered === outcome ? failure : errorOf(answered, answeredBody, state, clock)
      // Without a key a proxy answers: that a call does not fit a budget there holds up no other call.
      if (apiKey === undefined && isBudgetRefusal(refusal)) look.admission?.end('succeeded')
      else startCooldown(refusal, look.admission, context, emit)
    }
  } finally {
    state.progress.isSending = false
    look.admission?.end(sent === undefined ? 'unused' : result)
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

function startCooldown(
  error: unknown,
  admission: Admission | undefined,
  context: SendContext,
  emit: RequestEmit,
): void {
  const cooldown = cooldownOf(error, context.maxCooldownMs)
  if (cooldown === undefined || admission === undefined) return
  const waitMs = admission.refuse(cooldown.scope, cooldown.waitMs)
  emit({ type: 'cooldown.started', scope: cooldown.scope, waitMs })
}

/** Waits, and reserves the credits of the next attempt. @throws the error itself when the wait is longer than the call allows */
async function prepareRetry(error: EtnMarketError, number: number, state: RequestState, context: SendContext) {
  const { clock, budget, emit } = context
  const { settings, deadline, signal } = state
  releaseReservation(state)
  state.waiters.requireRetry(error)
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
  await reserve(budget, state, error)
}

/** Microtasks; `Promise.all` needs some of them to reject. */
const STEPS_BEFORE_SENDING = 6
const doNothing = () => {}

/** Skips a call that is aborted in the tick in which it was made. Also skips a call aborted because a sibling failed. */
export function waitForAborts(): Promise<void> {
  // A chain of promises takes 0.8 kB less than awaits in a loop, which make two functions each.
  let waited: Promise<void> = (async () => {})()
  for (let step = 0; step < STEPS_BEFORE_SENDING; step++) waited = waited.then(doNothing)
  return waited
}

/** While a request waits for one of the client's own slots, the deadline stands still as long as other requests make progress. */
export async function whileQueued<T>(state: RequestState, wait: Promise<T>): Promise<T> {
  state.hasWaited = true
  state.deadline.enterQueue()
  try {
    return await wait
  } finally {
    state.deadline.leaveQueue()
  }
}
