import pRetry, { AbortError, type Options } from 'p-retry'
import type { Admission, AdmissionControl, AdmissionRequest, PermitResult } from '../concurrency/admission-types.ts'
import { raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, monotonicNow, sleep, systemClock } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import type { Release } from '../concurrency/semaphore.ts'
import type { Reservation, ReservationDetails } from '../credits/budget.ts'
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
import type { Cache } from './cache.ts'
import type { CallLifetimes } from './call-lifetime.ts'
import type { InFlightRequest } from './dedupe.ts'
import type { PlannedRequest } from './plan-requests.ts'
import { errorOf, parseJson, type RequestResult, readOutcome, validate } from './read-answer.ts'
import type { Emit, RequestEmit } from './request-events.ts'
import { cooldownError, cooldownOf, isRetryable, retryDelay } from './retry.ts'
import type { CallSettings } from './settings.ts'

/** One request of a call. */
export interface OwnRequest {
  readonly request: PlannedRequest
  readonly settings: CallSettings
  /** Names of the call that started it and of the request, for events. */
  readonly callId: string
  readonly requestId: string
  /** The parameters of the call as they were passed in, for events. */
  readonly params: unknown
  /** What the callers who wait for it share: the signal that ends it, their time limit, and what it was charged. */
  readonly shared: InFlightRequest
  /** What the call has to fit beside the client's budget. */
  readonly limit: SpendingLimit | undefined
  /** The call of several requests that it belongs to. */
  readonly batch: Batch | undefined
}

/** One request while it is under way, over all its attempts. */
export interface RequestState extends OwnRequest {
  /** Its number in the order of arrival. */
  readonly arrival: number
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
  readonly cache: Cache | undefined
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

/**
 * ONE CHARGED REQUEST. Reserves its worst case now; then p-retry around admission -> transport -> billing -> parse -> validate. Its answer
 * is kept in the cache.
 */
export async function send(own: OwnRequest, context: SendContext): Promise<RequestResult> {
  const { request, settings, shared, batch, callId, requestId } = own
  const { admission, budget, cache } = context
  const arrival = admission.nextArrival()
  const state: RequestState = { ...own, arrival, reservation: undefined, hasWaited: cache !== undefined }
  let releaseSlot: Release | undefined
  try {
    const reserving = reserve(budget, state)
    const reserved = batch === undefined ? reserving : batch.addReservation(reserving, request.cost.max)
    reserved.catch(() => {})
    // Sends no call that is aborted in the tick in which it was made, or because one that was made beside it has failed.
    for (let step = 0; step < STEPS_BEFORE_SENDING; step++) await undefined
    await (batch === undefined ? reserved : raceWithAbort(reserved, shared.signal))
    if (batch !== undefined) {
      releaseSlot = batch.slots.tryAcquire()
      if (releaseSlot === undefined) {
        state.hasWaited = true
        shared.setQueued(true)
        releaseSlot = await batch.slots.acquire(shared.signal)
        shared.setQueued(false)
      }
      batch.requireProgress()
    }
    // The waits are ours. Each option is given, so that none is read from a prototype that somebody has changed.
    const result = await pRetry((number) => sendOnce(number, state, context), {
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
    cache?.set(request, result, { callId, requestId, operation: request.operation })
    return result
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
    state.batch?.recordEnd(response !== undefined, outcome.failure?.kind)
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

/** Calls that were made together end within so many milliseconds: their timers were started one after another. */
const MAX_BURST_MS = 20

/**
 * LAST LOOK: whether a request may be sent now. Its signal, its deadline, the window of its budget and cool-downs are looked at when
 * everything that may wait is over, and nothing but the bytes is left to send.
 */
class LastLook {
  /** The permission to send it. It ends when a cool-down begins. */
  admission: Admission | undefined
  readonly #state: RequestState
  readonly #lifetimes: CallLifetimes
  readonly #keyName: string
  /** What the store of a budget still writes. */
  #confirmed: Promise<void> | undefined

  constructor(state: RequestState, lifetimes: CallLifetimes, keyName: string) {
    this.#state = state
    this.#lifetimes = lifetimes
    this.#keyName = keyName
  }

  /**
   * Waits for what the look needs. After another wait, a turn of the event loop passes: calls that end together must not send each other on
   * their way out. A budget with a store writes that the request is sent in this window.
   */
  async prepare(hasWaited: boolean): Promise<void> {
    const { shared, batch } = this.#state
    if (hasWaited) await this.#turn()
    batch?.requireProgress()
    this.#confirm()
    if (this.#confirmed !== undefined) await shared.awaitState(this.#confirmed)
    this.#confirmed = undefined
    shared.signal.throwIfAborted()
  }

  /**
   * Looks, and does not wait. False where the request may be sent after a wait.
   * @throws the reason of the signal, or BudgetExceededError where the request does not fit the window of now
   */
  mayBeSent(): boolean {
    const { shared, batch } = this.#state
    shared.signal.throwIfAborted()
    batch?.requireProgress()
    this.#confirm()
    const isCurrent = this.admission?.isCurrent() === true
    if (this.#confirmed === undefined && isCurrent && shared.remaining() > 0) return true
    this.#state.hasWaited = true
    return false
  }

  /** After a call that was ended early the look comes a little later. */
  async #turn(): Promise<void> {
    const { signal } = this.#state.shared
    const { clock } = this.#lifetimes
    await nextTurn()
    // A custom clock decides itself what happens at the same moment.
    if (clock === systemClock && this.#lifetimes.msSinceEarlyEnd() < MAX_BURST_MS)
      await sleep(clock, MAX_BURST_MS, signal)
    this.#state.hasWaited = false
    if (this.#state.shared.remaining() === 0) await raceWithAbort(new Promise<never>(() => {}), signal)
  }

  /** Moves the reservation to the window of now. @throws BudgetExceededError when it does not fit there */
  #confirm(): void {
    // What is being written counts for the window in which that began; afterwards it is looked at again.
    if (this.#confirmed !== undefined) return
    const reservation = this.#state.reservation as Reservation
    const confirmed = reservation.confirm(detailsOf(this.#state), this.#keyName)
    if (!isPromise(confirmed)) return
    this.#confirmed = confirmed
    // `prepare` waits for it, unless the request ends before.
    confirmed.catch(() => {})
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
    rejectWait(scope, waitMs) {
      const limits = { remainingMs: shared.remaining(), maxRetryAfterMs: settings.maxRetryAfterMs }
      return cooldownError(scope, waitMs, limits, request.operation)
    },
    setQueued: (isQueued) => shared.setQueued(isQueued),
    awaitState: (work) => shared.awaitState(work),
    recordProgress: () => lifetimes.recordProgress(),
  }
}

/** Waits, and reserves the credits of the next attempt. @throws the error itself when the wait is longer than the call allows */
async function prepareRetry(error: EtnMarketError, number: number, state: RequestState, context: SendContext) {
  const { clock, budget, emit } = context
  const { settings, shared, batch } = state
  releaseReservation(state)
  shared.requireRetry(error)
  batch?.requireProgress()
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
  batch?.requireProgress()
  await reserve(budget, state, error)
}

/**
 * Reserves the worst case of the next attempt, at once, in the client's budget and in the limit that the call brings along: the credits
 * of a lost attempt stay blocked. It waits where a store has to write it.
 */
async function reserve(budget: SpendingLimit, state: RequestState, cause?: unknown): Promise<void> {
  const { request, shared, limit } = state
  const details = { ...detailsOf(state), cause }
  const { max } = request.cost
  state.reservation = limit ? reserveInBoth(limit, budget, max, details) : budget.reserve(max, details)
  if (!isPromise(state.reservation)) return
  state.hasWaited = true
  state.reservation = await shared.awaitState(state.reservation)
}

/** What the error of a reservation states of the call. */
function detailsOf({ request, shared }: RequestState): ReservationDetails {
  const { attempts, charge, credits } = shared.totals
  return { operation: request.operation, attempts, charge, credits }
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
