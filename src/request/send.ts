import pRetry, { type Options } from 'p-retry'
import type {
  Admission,
  AdmissionControl,
  AdmissionRequest,
  CooldownScope,
  PermitResult,
} from '../concurrency/admission-types.ts'
import { type CancellationSignal, raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, isSystemClock, monotonicNow, sleep } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import type { Release } from '../concurrency/semaphore.ts'
import type { Reservation, ReservationDetails } from '../credits/budget.ts'
import { reserveInBoth, type SpendingLimit } from '../credits/joint-budget.ts'
import type { Usage } from '../credits/usage.ts'
import { EtnMarketError } from '../errors/base.ts'
import { isBudgetRefusal } from '../errors/budget.ts'
import type { ClientEvent, RequestEventBase } from '../events.ts'
import { attempt } from '../transport/attempt.ts'
import { responseOf } from '../transport/outcome.ts'
import type { RequestHeaders } from '../transport/request-headers.ts'
import type { AttemptOutcome, Transport } from '../transport/transport.ts'
import { parseJson } from '../utils/json-data.ts'
import { isPromise } from '../utils/runtime.ts'
import { permitResult } from './admission.ts'
import type { ApiKeySource } from './api-key.ts'
import type { Batch } from './batch.ts'
import { bill, isFromFront } from './billing.ts'
import type { Cache } from './cache.ts'
import type { CallLifetimes } from './call-lifetime.ts'
import { cooldownError, cooldownOf } from './cooldown.ts'
import type { InFlightRequest } from './dedupe.ts'
import type { PlannedRequest } from './plan-requests.ts'
import { errorOf, type RequestResult, readOutcome, validate } from './read-answer.ts'
import { type Emit, ignoreEvents, type RequestEmit } from './request-events.ts'
import { retryDelay } from './retry.ts'
import type { CallSettings } from './settings.ts'

/** One request of a call while it is under way, over all its attempts. */
export interface RequestState {
  readonly request: PlannedRequest
  readonly settings: CallSettings
  readonly callId: string
  readonly requestId: string
  readonly params: unknown
  /** What the callers who wait for it share: the signal that ends it, their time limit, and what it was charged. */
  readonly shared: InFlightRequest
  /** What the call has to fit beside the client's budget. */
  readonly limit: SpendingLimit | undefined
  readonly batch: Batch | undefined
  readonly arrival: number
  /** Credits reserved for the attempt under way; undefined before the first. */
  reservation?: Reservation | Promise<Reservation> | undefined
  /** Whether it has waited since it was last about to be sent. */
  hasWaited?: boolean
  /** What the service, and no hook, let the last attempt fail with: it decides on retries and cool-downs. */
  refusal?: EtnMarketError | undefined
}

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
export async function send(state: RequestState, context: SendContext): Promise<RequestResult> {
  const { request, settings, shared, batch, callId, requestId } = state
  state.hasWaited = context.cache !== undefined
  let releaseSlot: Release | undefined
  try {
    const reserving = reserve(context.budget, state)
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
    const result = await pRetry((number) => new Attempt(number, state, context).run(), {
      retries: settings.retryLimit,
      shouldRetry: () => state.refusal?.retryable === true,
      shouldConsumeRetry: () => true,
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
        retriesLeft > 0 && state.refusal?.retryable
          ? prepareRetry(error, state.refusal, attemptNumber, state, context)
          : undefined,
      factor: 1,
      minTimeout: 0,
      maxTimeout: 0,
      maxRetryTime: Number.POSITIVE_INFINITY,
      randomize: false,
      signal: undefined,
      unref: undefined,
    } as { [Name in keyof Options]-?: Options[Name] | undefined } as Options)
    context.cache?.set(request, result, { callId, requestId, operation: request.operation })
    return result
  } catch (error) {
    // p-retry wraps what is not an Error, such as the reason of a signal.
    throw shared.signal.aborted ? shared.signal.reason : error
  } finally {
    releaseReservation(state)
    releaseSlot?.()
  }
}

/** Calls that were made together end within so many milliseconds: their timers were started one after another. */
const MAX_BURST_MS = 20

/** ONE ATTEMPT: key -> admission -> last look -> transport -> billing -> parse -> validate. It is what its admission is asked for. */
class Attempt implements AdmissionRequest {
  readonly isHeavy: boolean
  readonly arrival: number
  readonly signal: CancellationSignal
  apiKey = ''
  readonly #number: number
  readonly #state: RequestState
  readonly #context: SendContext
  readonly #emit: RequestEmit
  /** The permission to send it. It ends when a cool-down begins. */
  #admission: Admission | undefined
  /** What the store of a budget still writes. */
  #confirmed: Promise<void> | undefined
  /** Its number in the order of sending, when it was sent. */
  #sent: number | undefined

  constructor(number: number, state: RequestState, context: SendContext) {
    this.isHeavy = state.request.isHeavy
    this.arrival = state.arrival
    this.signal = state.shared.signal
    this.#number = number
    this.#state = state
    this.#context = context
    this.#emit = createRequestEmit(state, number, context.emit)
  }

  async run(): Promise<RequestResult> {
    const state = this.#state
    const { request, settings, shared } = state
    const { clock, usage } = this.#context
    state.refusal = undefined
    const asked = request.isKeyless ? undefined : this.#context.apiKey(this.signal)
    state.hasWaited ||= isPromise(asked)
    const apiKey = await asked
    this.apiKey = apiKey ?? ''
    let startedAt = 0
    let isTried = false
    let result: PermitResult = 'unused'
    try {
      let outcome: AttemptOutcome | undefined
      // Without an outcome, its time went by while hooks ran or a connection was waited for.
      while (outcome === undefined) {
        this.#admission?.end('unused')
        const admitted = this.#context.admission.admit(this)
        this.#admission = isPromise(admitted) ? await admitted : admitted
        await this.#prepare(state.hasWaited || this.#admission.hasWaited)
        if (!this.#admission.isCurrent()) continue
        startedAt = monotonicNow(clock)
        isTried = false
        outcome = await attempt({
          transport: this.#context.transport,
          url: this.#context.baseUrl() + request.path,
          headers: this.#context.requestHeaders(apiKey, settings.headers),
          context: { operation: request.operation, callId: state.callId, attempt: this.#number },
          maxResponseBytes: this.#context.maxResponseBytes,
          timeoutMs: settings.timeoutMs,
          signal: this.signal,
          clock,
          onConnecting() {
            isTried = true
          },
          prepareLook: () => this.#prepare(true),
          mayBeSent: () => this.#mayBeSent(),
        })
      }
      if (isTried && this.#sent === undefined) {
        this.#recordSent()
        shared.totals.attempts++
      }
      // What a hook made of an answer is for the caller; what it cost and refused is the service's word.
      const { answered = outcome } = outcome
      result = permitResult(answered)
      if (result === 'succeeded') this.recordProgress()
      const response = responseOf(outcome)
      const body = parseJson(response?.text)
      const answeredBody = answered === outcome ? body : parseJson(responseOf(answered)?.text)
      state.batch?.recordEnd(response !== undefined, outcome.failure?.kind)
      bill(answered, answeredBody, this.#sent, state, usage, this.#emit)

      const durationMs = monotonicNow(clock) - startedAt
      let failure: unknown
      try {
        const result = readOutcome(outcome, body, state, clock)
        await validate(result, state, this.#emit)
        if (this.#sent !== undefined) this.#emit({ type: 'request.succeeded', durationMs, status: result.status })
        return result
      } catch (error) {
        failure = error
        const code = error instanceof EtnMarketError ? error.code : 'aborted'
        const status = response && { status: response.status }
        if (this.#sent !== undefined) this.#emit({ type: 'request.failed', durationMs, ...status, code })
        throw error
      } finally {
        const refusal = answered === outcome ? failure : errorOf(answered, answeredBody, state, clock)
        state.refusal = refusal instanceof EtnMarketError ? refusal : undefined
        // Without a key a proxy answers: that a call does not fit a budget there holds up no other call.
        const isOfProxy = apiKey === undefined && isBudgetRefusal(refusal)
        if (isOfProxy) this.#admission?.end('succeeded')
        const isForAll = !isOfProxy && !isFromFront(responseOf(answered), answeredBody)
        const cooldown = isForAll ? cooldownOf(refusal, this.#context.maxCooldownMs) : undefined
        if (cooldown !== undefined && this.#admission !== undefined) {
          const waitMs = this.#admission.refuse(cooldown.scope, cooldown.waitMs)
          this.#emit({ type: 'cooldown.started', scope: cooldown.scope, waitMs })
        }
      }
    } finally {
      shared.isSending = false
      this.#admission?.end(this.#sent === undefined ? 'unused' : result)
    }
  }

  rejectWait(scope: CooldownScope, waitMs: number): EtnMarketError | undefined {
    const { request, settings, shared } = this.#state
    const limits = { remainingMs: shared.remaining(), maxRetryAfterMs: settings.maxRetryAfterMs }
    return cooldownError(scope, waitMs, limits, request.operation)
  }

  setQueued(isQueued: boolean): void {
    this.#state.shared.setQueued(isQueued)
  }

  awaitState<T>(work: Promise<T>): Promise<T> {
    return this.#state.shared.awaitState(work)
  }

  recordProgress(): void {
    this.#context.lifetimes.recordProgress()
  }

  /**
   * Waits for what the last look needs. After another wait, a turn of the event loop passes: a call that ends must not trigger another that
   * is ending in the same turn. A budget with a store writes that the request is sent in this window.
   */
  async #prepare(hasWaited: boolean): Promise<void> {
    const { shared, batch } = this.#state
    if (hasWaited) await this.#turn()
    batch?.requireProgress()
    this.#confirm()
    if (this.#confirmed !== undefined) await shared.awaitState(this.#confirmed)
    this.#confirmed = undefined
    this.signal.throwIfAborted()
  }

  /**
   * LAST LOOK: whether the request may be sent now. Its signal, its deadline, the window of its budget and cool-downs are looked at when
   * everything that may wait is over, and nothing but the bytes is left to send. False where it may be sent after a wait.
   * @throws the reason of the signal, or BudgetExceededError where the request does not fit the window of now
   */
  #mayBeSent(): boolean {
    const { shared, batch } = this.#state
    this.signal.throwIfAborted()
    // A redirect that is followed is no attempt of its own.
    if (this.#sent !== undefined) return true
    batch?.requireProgress()
    this.#confirm()
    const isCurrent = this.#admission?.isCurrent() === true
    if (this.#confirmed !== undefined || !isCurrent || shared.remaining() === 0) {
      this.#state.hasWaited = true
      return false
    }
    this.#recordSent()
    // Afterwards, so that what a listener aborts is not sent.
    this.signal.throwIfAborted()
    shared.totals.attempts++
    shared.isSending = true
    return true
  }

  #recordSent(): void {
    this.#sent = this.#context.usage.recordSent()
    this.#emit({ type: 'request.sent', params: this.#state.params })
  }

  /** If a call ended early, wait 20 ms before the final check. */
  async #turn(): Promise<void> {
    const { lifetimes } = this.#context
    const { clock } = lifetimes
    await nextTurn()
    // A custom clock decides itself what happens at the same moment.
    if (isSystemClock(clock) && lifetimes.msSinceEarlyEnd() < MAX_BURST_MS)
      await sleep(clock, MAX_BURST_MS, this.signal)
    this.#state.hasWaited = false
    if (this.#state.shared.remaining() === 0) await raceWithAbort(new Promise<never>(() => {}), this.signal)
  }

  /** Moves the reservation to the window of now. @throws BudgetExceededError when it does not fit there */
  #confirm(): void {
    // What is being written counts for the window in which that began; afterwards it is looked at again.
    if (this.#confirmed !== undefined) return
    const reservation = this.#state.reservation as Reservation
    const confirmed = reservation.confirm(detailsOf(this.#state), this.#context.keyName(this.apiKey))
    if (!isPromise(confirmed)) return
    this.#confirmed = confirmed
    // `prepare` waits for it, unless the request ends before.
    confirmed.catch(() => {})
  }
}

/** Waits, and reserves the credits of the next attempt. @throws the error itself when the wait is longer than the call allows */
async function prepareRetry(
  error: Error,
  refusal: EtnMarketError,
  number: number,
  state: RequestState,
  context: SendContext,
): Promise<void> {
  const { clock, budget, emit } = context
  const { settings, shared, batch } = state
  releaseReservation(state)
  shared.requireRetry(error)
  batch?.requireProgress()
  const waitMs = retryDelay(refusal, {
    attempt: number,
    remainingMs: shared.remaining(),
    maxRetryAfterMs: settings.maxRetryAfterMs,
    random: clock.random(),
  })
  if (waitMs === undefined) throw error
  createRequestEmit(state, number, emit)({ type: 'retry.scheduled', code: refusal.code, waitMs })
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
  const details = detailsOf(state, cause)
  const { max } = request.cost
  state.reservation = limit ? reserveInBoth(limit, budget, max, details) : budget.reserve(max, details)
  if (!isPromise(state.reservation)) return
  state.hasWaited = true
  state.reservation = await shared.awaitState(state.reservation)
}

function detailsOf({ request, shared }: RequestState, cause?: unknown): ReservationDetails {
  const { attempts, charge, credits } = shared.totals
  return { operation: request.operation, attempts, charge, credits, cause }
}

/** Releases what is still reserved, or is being reserved: the request may end before. Does nothing when the charge was settled. */
function releaseReservation({ reservation }: RequestState): void {
  if (isPromise(reservation)) {
    reservation.then(
      (reserved) => reserved.release(),
      () => {},
    )
  } else reservation?.release()
}

function createRequestEmit({ callId, requestId, request }: RequestState, attempt: number, emit: Emit): RequestEmit {
  if (emit === ignoreEvents) return () => {}
  return (raised) => {
    // Fields one by one: to spread an event takes a tenth of a call.
    const event = raised as unknown as RequestEventBase
    event.callId = callId
    event.requestId = requestId
    event.operation = request.operation
    event.attempt = attempt
    emit(event as ClientEvent)
  }
}
