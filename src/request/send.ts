import pRetry, { AbortError, type Options } from 'p-retry'
import type { AdmissionControl, AdmissionRequest, PermitResult } from '../concurrency/admission-types.ts'
import { raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, monotonicNow, sleep } from '../concurrency/clock.ts'
import type { Release } from '../concurrency/semaphore.ts'
import type { Reservation } from '../credits/budget.ts'
import { reserveInBoth, type SpendingLimit } from '../credits/joint-budget.ts'
import type { Usage } from '../credits/usage.ts'
import { EtnMarketError } from '../errors/base.ts'
import { isBudgetRefusal } from '../errors/budget.ts'
import type { ClientEvent } from '../events.ts'
import { attempt } from '../transport/attempt.ts'
import { responseOf } from '../transport/outcome.ts'
import type { RequestHeaders } from '../transport/request-headers.ts'
import type { AttemptOutcome, Transport } from '../transport/transport.ts'
import { isPromise } from '../utils/runtime.ts'
import { permitResult } from './admission.ts'
import type { ApiKeySource } from './api-key.ts'
import type { Batch } from './batch.ts'
import { bill } from './billing.ts'
import type { CallLifetimes } from './call-lifetime.ts'
import type { InFlightRequest } from './dedupe.ts'
import { LastLook } from './last-look.ts'
import type { PlannedRequest } from './plan-requests.ts'
import { errorOf, parseJson, type RequestResult, readOutcome, validate } from './read-answer.ts'
import type { Emit, RequestEmit } from './request-events.ts'
import { cooldownError, cooldownOf, isRetryable, retryDelay } from './retry.ts'
import type { CallSettings } from './settings.ts'

/** One request while it is under way, over all its attempts. */
export interface RequestState {
  readonly request: PlannedRequest
  readonly settings: CallSettings
  /** Names of the call that started it and of the request, for events. */
  readonly callId: string
  readonly requestId: string
  /** The parameters of the call as they were passed in, for events. */
  readonly params: unknown
  /** Its number in the order of arrival. */
  readonly arrival: number
  /** What the callers who wait for it share: the signal that ends it, their time limit, and what it was charged. */
  readonly shared: InFlightRequest
  /** What the call has to fit beside the client's budget. */
  readonly limit: SpendingLimit | undefined
  /** The call of several requests that it belongs to. */
  readonly batch: Batch | undefined
  /** Credits reserved for the attempt under way; undefined before the first. */
  reservation: Reservation | Promise<Reservation> | undefined
  /** Whether it has waited since it was last about to be sent. */
  hasWaited: boolean
}

/** The parts of a client that a request passes through. */
export interface SendContext {
  readonly clock: Clock
  readonly budget: SpendingLimit
  readonly usage: Usage
  readonly admission: AdmissionControl
  readonly lifetimes: CallLifetimes
  readonly transport: Transport
  readonly requestHeaders: RequestHeaders
  /** The longest cool-down, in milliseconds; after it one request asks again. */
  readonly maxCooldownMs: number
  /** The most bytes of an answer, decoded. */
  readonly maxResponseBytes: number
  readonly emit: Emit
  readonly apiKey: ApiKeySource
  /** The name of a key, which shows nothing of it. */
  keyName(apiKey: string): string
  baseUrl(): string
}

/** Microtasks; `Promise.all` needs some of them to reject. */
const STEPS_BEFORE_SENDING = 6

/** ONE CHARGED REQUEST. Reserves its worst case now; then p-retry around admission -> transport -> billing -> parse -> validate. */
export async function send(state: RequestState, context: SendContext): Promise<RequestResult> {
  const { request, settings, shared, batch } = state
  let releaseSlot: Release | undefined
  try {
    const reserving = reserve(context.budget, state)
    const reserved = batch === undefined ? reserving : batch.reservations.add(reserving, request.cost.max)
    reserved.catch(() => {})
    // Sends no call that is aborted in the tick in which it was made, or because one that was made beside it has failed.
    for (let step = 0; step < STEPS_BEFORE_SENDING; step++) await undefined
    await (batch === undefined ? reserved : raceWithAbort(reserved, shared.signal))
    if (batch !== undefined) {
      releaseSlot = batch.slots.tryAcquire()
      state.hasWaited ||= releaseSlot === undefined
      releaseSlot ??= await shared.whileQueued(batch.slots.acquire(shared.signal))
      batch.progress.requireProgress()
    }
    // The waits are ours. Each option is given, so that none is read from a prototype that somebody has changed.
    return await pRetry((number) => sendOnce(number, state, context), {
      retries: settings.retryLimit,
      shouldRetry: ({ error }) => isRetryable(error),
      shouldConsumeRetry: () => true,
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
        retriesLeft > 0 && isRetryable(error) ? prepareRetry(error, attemptNumber, state, context) : undefined,
      factor: 1,
      minTimeout: 0,
      maxTimeout: 0,
      maxRetryTime: Number.POSITIVE_INFINITY,
      randomize: false,
      signal: undefined,
      unref: undefined,
    } as { [Name in keyof Options]-?: Options[Name] | undefined } as Options)
  } catch (error) {
    // p-retry wraps what is not an Error, such as the reason of a signal.
    throw shared.signal.aborted ? shared.signal.reason : error
  } finally {
    releaseReservation(state)
    releaseSlot?.()
  }
}

async function sendOnce(number: number, state: RequestState, context: SendContext): Promise<RequestResult> {
  const { request, settings, shared, params } = state
  const { signal, totals } = shared
  const { clock, usage } = context
  const emit = createRequestEmit(state, number, context.emit)
  const asked = request.isKeyless ? undefined : context.apiKey(signal)
  state.hasWaited ||= isPromise(asked)
  const apiKey = await asked
  const turn = admissionRequest(apiKey ?? '', state, context)
  const look = new LastLook(state, context.lifetimes, context.keyName(turn.apiKey))
  let startedAt = 0
  let isTried = false
  /** The number of the request in the order of sending, when it was sent. */
  let sent: number | undefined
  let result: PermitResult = 'unused'
  const mayBeSent = () => {
    // A redirect that is followed is no attempt of its own.
    if (sent !== undefined) signal.throwIfAborted()
    else if (!look.mayBeSent()) return false
    else {
      sent = usage.recordSent()
      emit({ type: 'request.sent', params })
      // Afterwards, so that what a listener aborts is not sent.
      signal.throwIfAborted()
      totals.attempts++
      shared.isSending = true
    }
    return true
  }
  try {
    let outcome: AttemptOutcome | undefined
    // Without an outcome, its time went by while hooks ran or a connection was waited for.
    while (outcome === undefined) {
      look.admission?.end('unused')
      const admitted = context.admission.admit(turn)
      look.admission = isPromise(admitted) ? await admitted.catch(doNotRetry) : admitted
      await look.prepare(state.hasWaited || look.admission.hasWaited)
      if (!look.admission.isCurrent()) continue
      startedAt = monotonicNow(clock)
      isTried = false
      outcome = await attempt({
        transport: context.transport,
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
    }
    if (isTried && sent === undefined) {
      sent = usage.recordSent()
      emit({ type: 'request.sent', params })
      totals.attempts++
    }
    // What a hook made of an answer is for the caller; what it cost and refused is the service's word.
    const { answered = outcome } = outcome
    result = permitResult(answered)
    if (result === 'succeeded') context.lifetimes.recordProgress()
    const response = responseOf(outcome)
    const body = parseJson(response?.text)
    const answeredBody = answered === outcome ? body : parseJson(responseOf(answered)?.text)
    state.batch?.progress.recordEnd(response !== undefined, outcome.failure?.kind)
    bill(answered, answeredBody, sent, state, usage, emit)

    const durationMs = monotonicNow(clock) - startedAt
    let failure: unknown
    try {
      const result = readOutcome(outcome, body, state, clock)
      await validate(result, state, emit)
      if (sent !== undefined) emit({ type: 'request.succeeded', durationMs, status: result.status })
      return result
    } catch (error) {
      failure = error
      const code = error instanceof EtnMarketError ? error.code : 'aborted'
      const status = response && { status: response.status }
      if (sent !== undefined) emit({ type: 'request.failed', durationMs, ...status, code })
      throw error
    } finally {
      const refusal = answered === outcome ? failure : errorOf(answered, answeredBody, state, clock)
      // Without a key a proxy answers: that a call does not fit a budget there holds up no other call.
      const isOfProxy = apiKey === undefined && isBudgetRefusal(refusal)
      if (isOfProxy) look.admission?.end('succeeded')
      const cooldown = isOfProxy ? undefined : cooldownOf(refusal, context.maxCooldownMs)
      if (cooldown !== undefined && look.admission !== undefined) {
        const waitMs = look.admission.refuse(cooldown.scope, cooldown.waitMs)
        emit({ type: 'cooldown.started', scope: cooldown.scope, waitMs })
      }
    }
  } finally {
    shared.isSending = false
    look.admission?.end(sent === undefined ? 'unused' : result)
  }
}

/** What was not even admitted is not retried. */
function doNotRetry(error: unknown): never {
  throw isRetryable(error) ? new AbortError(error) : error
}

function admissionRequest(
  apiKey: string,
  { request, arrival, settings, shared }: RequestState,
  { lifetimes }: SendContext,
): AdmissionRequest {
  return {
    isHeavy: request.isHeavy,
    apiKey,
    signal: shared.signal,
    arrival,
    progress: shared,
    rejectWait(scope, waitMs) {
      const limits = { remainingMs: shared.remaining(), maxRetryAfterMs: settings.maxRetryAfterMs }
      return cooldownError(scope, waitMs, limits, request.operation)
    },
    whileQueued: (wait) => shared.whileQueued(wait),
    recordProgress: () => lifetimes.recordProgress(),
  }
}

/** Waits, and reserves the credits of the next attempt. @throws the error itself when the wait is longer than the call allows */
async function prepareRetry(error: EtnMarketError, number: number, state: RequestState, context: SendContext) {
  const { clock, budget, emit } = context
  const { settings, shared, batch } = state
  releaseReservation(state)
  shared.requireRetry(error)
  batch?.progress.requireProgress()
  const waitMs = retryDelay(error, {
    attempt: number,
    remainingMs: shared.remaining(),
    maxRetryAfterMs: settings.maxRetryAfterMs,
    random: clock.random(),
  })
  if (waitMs === undefined) throw error
  createRequestEmit(state, number, emit)({ type: 'retry.scheduled', code: error.code, waitMs })
  await sleep(clock, waitMs, shared.signal)
  state.hasWaited = true
  batch?.progress.requireProgress()
  await reserve(budget, state, error)
}

/**
 * Reserves the worst case of the next attempt, at once, in the client's budget and in the limit that the call brings along: the credits
 * of a lost attempt stay blocked. It waits where a store has to write it.
 */
async function reserve(budget: SpendingLimit, state: RequestState, cause?: unknown): Promise<void> {
  const { request, shared, limit } = state
  const { attempts, charge, credits } = shared.totals
  const details = { operation: request.operation, attempts, charge, credits, cause }
  const { max } = request.cost
  state.reservation = limit ? reserveInBoth(limit, budget, max, details) : budget.reserve(max, details)
  if (!isPromise(state.reservation)) return
  state.hasWaited = true
  state.reservation = await shared.awaitState(state.reservation)
}

/** Releases what is still reserved. Does nothing when the charge was settled. */
function releaseReservation({ reservation }: RequestState): void {
  if (isPromise(reservation)) {
    reservation.then(
      (reserved) => reserved.release(),
      () => {},
    )
  } else reservation?.release()
}

function createRequestEmit({ callId, requestId, request }: RequestState, attempt: number, emit: Emit) {
  const { operation } = request
  const emitOfRequest: RequestEmit = (event) => emit({ ...event, callId, requestId, operation, attempt } as ClientEvent)
  return emitOfRequest
}
