import pRetry, { type Options } from 'p-retry'
import type { ClientEvent, RequestEventBase } from '../client/events.ts'
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
import type { Reservation, ReservationDetails } from '../credits/budget.ts'
import { releaseReservation, reserveInBoth, type SpendingLimit } from '../credits/joint-budget.ts'
import type { Usage } from '../credits/usage.ts'
import { EtnMarketError } from '../errors/base.ts'
import { isBudgetRefusal } from '../errors/budget.ts'
import { Attempt, type AttemptOwner } from '../transport/attempt.ts'
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
import type { InFlightRequest } from './dedupe.ts'
import type { PlannedRequest } from './plan-requests.ts'
import { errorOf, type RequestResult, readOutcome, validate } from './read-answer.ts'
import { type Emit, ignoreEvents, type RequestEmit } from './request-events.ts'
import { cooldownError, cooldownOf, retryDelay } from './retry.ts'
import type { CallSettings } from './settings.ts'

/** What is asked for, by whom and within which limits. */
export interface RequestDetails {
  readonly baseUrl: string
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
}

/**
 * Microtasks until a caller can abort the calls that it made beside a refused one: its own `await`, `Promise.all` and `catch` take some, and there
 * is no promise to wait for instead.
 */
const STEPS_BEFORE_SENDING = 6

/** Calls that were made together end within so many milliseconds: their timers were started one after another. */
const MAX_BURST_MS = 20

const always = () => true

/** The waits are ours, and p-retry has the loop. Each option is given, so that none is read from a prototype that somebody has changed. */
const retryOptions = (sending: ChargedRequest) =>
  ({
    retries: sending.settings.retryLimit,
    onFailedAttempt: ({ error, retriesLeft }) => sending.prepareRetry(error, retriesLeft),
    shouldRetry: always,
    shouldConsumeRetry: always,
    factor: 1,
    minTimeout: 0,
    maxTimeout: 0,
    maxRetryTime: Number.POSITIVE_INFINITY,
    randomize: false,
    signal: undefined,
    unref: undefined,
  }) as { [Name in keyof Options]-?: Options[Name] | undefined } as Options

/**
 * ONE CHARGED REQUEST. Reserves its worst case now, then p-retry around its attempts: key -> admission -> last look -> transport -> billing ->
 * parse -> validate. Its answer is kept in the cache.
 */
export async function send(details: RequestDetails, context: SendContext): Promise<RequestResult> {
  const { request, shared, batch, callId, requestId } = details
  const sending = new ChargedRequest(details, context)
  let releaseSlot: (() => void) | undefined
  try {
    const reserve = () => sending.reserve()
    const reserved = batch ? batch.addReservation(reserve, request.cost.max) : reserve()
    reserved?.catch(() => {})
    // Sends no call that is aborted in the tick in which it was made, or because one that was made beside it has failed.
    for (let step = 0; step < STEPS_BEFORE_SENDING; step++) await undefined
    if (reserved !== undefined) await raceWithAbort(reserved, shared.signal)
    if (batch !== undefined) releaseSlot = await sending.waitForSlot(batch)
    const result = await pRetry((number) => sending.attempt(number), retryOptions(sending))
    context.cache?.set(request, result, { callId, requestId, operation: request.operation }, sending.sentAt)
    return result
  } catch (error) {
    // p-retry wraps what is not an Error, such as the reason of a signal.
    throw shared.signal.aborted ? shared.signal.reason : error
  } finally {
    sending.releaseReservation()
    releaseSlot?.()
  }
}

/** A request while it is under way, over all its attempts. It is what an admission is asked for, and what decides whether an attempt may be sent. */
export class ChargedRequest implements AdmissionRequest, AttemptOwner {
  readonly request: PlannedRequest
  readonly settings: CallSettings
  readonly shared: InFlightRequest
  readonly isHeavy: boolean
  readonly arrival: number
  readonly signal: CancellationSignal
  apiKey = ''
  /** When it was last sent, as the cache counts ages; undefined where a hook answered, or without a cache. */
  sentAt: number | undefined
  readonly emit: RequestEmit
  readonly #details: RequestDetails
  readonly #context: SendContext
  /** Credits reserved for the attempt under way; undefined before the first. */
  #reservation: Reservation | Promise<Reservation> | undefined
  /** Whether it has waited since it was last about to be sent. */
  #hasWaited: boolean
  /** What the service, and no hook, let the last attempt fail with, where it may be retried. */
  #retryable: EtnMarketError | undefined
  /** The attempt under way: 1 for the first. */
  #number = 0
  /** The permission to send it. It ends when a cool-down begins. */
  #admission: Admission | undefined
  /** What the store of a budget still writes. */
  #confirmed: Promise<void> | undefined
  /** Whether a connection was made for it, or could not be made. */
  #isTried = false
  /** Its number in the order of sending, when it was sent. */
  #sent: number | undefined

  constructor(details: RequestDetails, context: SendContext) {
    this.request = details.request
    this.settings = details.settings
    this.shared = details.shared
    this.isHeavy = details.request.isHeavy
    this.arrival = details.arrival
    this.signal = details.shared.signal
    this.#details = details
    this.#context = context
    this.#hasWaited = context.cache !== undefined
    this.emit = context.emit === ignoreEvents ? ignoreEvents : (raised) => this.#emit(raised)
  }

  /** What is reserved for the attempt under way. */
  get reservation(): Reservation {
    return this.#reservation as Reservation
  }

  /**
   * Reserves the worst case of the next attempt, at once, in the client's budget and in the limit that the call brings along: the credits
   * of a lost attempt stay blocked. A promise where a store has to write it. @throws BudgetExceededError where it does not fit
   */
  reserve(cause?: unknown): Promise<void> | undefined {
    const { budget } = this.#context
    const { limit } = this.#details
    const details = this.#spending(cause)
    const { max } = this.request.cost
    const reserved = limit ? reserveInBoth(limit, budget, max, details) : budget.reserve(max, details)
    this.#reservation = reserved
    return isPromise(reserved) ? this.#awaitReservation(reserved) : undefined
  }

  async #awaitReservation(reserving: Promise<Reservation>): Promise<void> {
    this.#hasWaited = true
    this.#reservation = await this.shared.awaitState(reserving)
  }

  /** The request may end before its credits are reserved. */
  releaseReservation(): void {
    releaseReservation(this.#reservation)
  }

  async waitForSlot({ slots }: Batch): Promise<() => void> {
    const free = slots.tryAcquire()
    if (free !== undefined) return free
    this.#hasWaited = true
    this.shared.setQueued(true)
    const release = await slots.acquire(this.signal)
    this.shared.setQueued(false)
    return release
  }

  /** ONE ATTEMPT. Where its time goes by while hooks run or a connection is waited for, it is sent anew. */
  async attempt(number: number): Promise<RequestResult> {
    const { request, settings, shared } = this
    const { clock, usage, admission, transport, maxResponseBytes, requestHeaders } = this.#context
    const { baseUrl, callId, batch } = this.#details
    this.#number = number
    this.#retryable = this.#admission = this.#confirmed = this.#sent = this.sentAt = undefined
    const asked = request.isKeyless ? undefined : this.#context.apiKey(this.signal)
    this.#hasWaited ||= isPromise(asked)
    const apiKey = isPromise(asked) ? await asked : asked
    this.apiKey = apiKey ?? ''
    const context = { operation: request.operation, callId, attempt: number }
    let startedAt = 0
    let result: PermitResult = 'unused'
    try {
      let outcome: AttemptOutcome | undefined
      while (outcome === undefined) {
        this.#admission?.end('unused')
        const admitted = admission.admit(this)
        this.#admission = isPromise(admitted) ? await admitted : admitted
        const preparing = this.#prepare(this.#hasWaited || this.#admission.hasWaited)
        if (preparing !== undefined) await preparing
        if (!this.#admission.isCurrent()) continue
        startedAt = monotonicNow(clock)
        this.#isTried = false
        const url = baseUrl + request.path
        const headers = requestHeaders(apiKey, settings.headers)
        const options = { url, headers, context, transport, maxResponseBytes, timeoutMs: settings.timeoutMs, clock }
        outcome = await new Attempt(options, this).send()
      }
      if (this.#isTried && this.#sent === undefined) {
        this.#recordSent()
        shared.totals.attempts++
      }
      // What a hook made of an answer is for the caller; what it cost and refused is the service's word.
      const { answered = outcome } = outcome
      result = permitResult(answered)
      const endedAt = monotonicNow(clock)
      if (result === 'succeeded') this.recordProgress(endedAt)
      const response = responseOf(outcome)
      const body = parseJson(response?.text)
      const answeredBody = answered === outcome ? body : parseJson(responseOf(answered)?.text)
      batch?.recordEnd(response !== undefined, outcome.failure?.kind)
      bill(answered, answeredBody, this.#sent, this, usage)

      const durationMs = endedAt - startedAt
      let failure: unknown
      try {
        const read = readOutcome(outcome, body, this, clock)
        const validating = validate(read, this)
        if (validating !== undefined) await validating
        if (this.#sent !== undefined) this.emit({ type: 'request.succeeded', durationMs, status: read.status })
        return read
      } catch (error) {
        failure = error
        const code = error instanceof EtnMarketError ? error.code : 'aborted'
        const status = response && { status: response.status }
        if (this.#sent !== undefined) this.emit({ type: 'request.failed', durationMs, ...status, code })
        throw error
      } finally {
        const refusal = answered === outcome ? failure : errorOf(answered, answeredBody, this, clock)
        const isFront = isFromFront(responseOf(answered), answeredBody)
        if (refusal instanceof EtnMarketError) this.#recordRefusal(refusal, isFront, apiKey)
        // What a hook could not do, it could not do at the next attempt either.
        if (outcome.failure?.kind === 'hook') this.#retryable = undefined
      }
    } finally {
      shared.isSending = false
      this.#admission?.end(this.#sent === undefined ? 'unused' : result)
    }
  }

  /** After a failure: waits, and reserves the credits of the next attempt. @throws the failure itself, where it is the last */
  async prepareRetry(error: Error, retriesLeft: number): Promise<void> {
    const { shared, settings } = this
    const { clock } = this.#context
    const { batch } = this.#details
    const refusal = this.#retryable
    if (refusal === undefined || retriesLeft <= 0) throw error
    this.releaseReservation()
    shared.requireRetry(error)
    batch?.requireProgress()
    const waitMs = retryDelay(refusal, {
      attempt: this.#number,
      remainingMs: shared.remaining(),
      maxRetryAfterMs: settings.maxRetryAfterMs,
      random: clock.random(),
    })
    if (waitMs === undefined) throw error
    this.emit({ type: 'retry.scheduled', code: refusal.code, waitMs })
    await sleep(clock, waitMs, shared.signal)
    this.#hasWaited = true
    batch?.requireProgress()
    await this.reserve(error)
  }

  rejectWait(scope: CooldownScope, waitMs: number): EtnMarketError | undefined {
    const { request, settings, shared } = this
    const limits = { remainingMs: shared.remaining(), maxRetryAfterMs: settings.maxRetryAfterMs }
    return cooldownError(scope, waitMs, limits, request.operation)
  }

  setQueued(isQueued: boolean): void {
    this.shared.setQueued(isQueued)
  }

  awaitState<T>(work: Promise<T>): Promise<T> {
    return this.shared.awaitState(work)
  }

  recordProgress(at?: number): void {
    this.#context.lifetimes.recordProgress(at)
  }

  noteConnecting(): void {
    this.#isTried = true
  }

  async recheck(): Promise<void> {
    await this.#prepare(true)
  }

  /**
   * Waits for what the last look needs. After another wait, a turn of the event loop passes: a call that ends must not trigger another that
   * is ending in the same turn. A budget with a store writes that the request is sent in this window.
   */
  #prepare(hasWaited: boolean): Promise<void> | undefined {
    if (hasWaited) return this.#turn().then(() => this.#prepare(false))
    this.#details.batch?.requireProgress()
    this.#confirm()
    if (this.#confirmed !== undefined) return this.#awaitConfirmed(this.#confirmed)
    this.signal.throwIfAborted()
    return undefined
  }

  async #awaitConfirmed(confirmed: Promise<void>): Promise<void> {
    await this.shared.awaitState(confirmed)
    this.#confirmed = undefined
    this.signal.throwIfAborted()
  }

  /** If a call ended early, wait 20 ms before the final check. */
  async #turn(): Promise<void> {
    const { lifetimes } = this.#context
    const { clock } = lifetimes
    await nextTurn()
    // A custom clock decides itself what happens at the same moment.
    if (isSystemClock(clock) && lifetimes.msSinceEarlyEnd() < MAX_BURST_MS)
      await sleep(clock, MAX_BURST_MS, this.signal)
    this.#hasWaited = false
    if (this.shared.remaining() === 0) await raceWithAbort(new Promise<never>(() => {}), this.signal)
  }

  /** Moves the reservation to the window of now. @throws BudgetExceededError when it does not fit there */
  #confirm(): void {
    // What is being written counts for the window in which that began; afterwards it is looked at again.
    if (this.#confirmed !== undefined) return
    const confirmed = this.reservation.confirm(this.#spending(), this.#context.keyName(this.apiKey))
    if (!isPromise(confirmed)) return
    this.#confirmed = confirmed
    // `#prepare` waits for it, unless the request ends before.
    confirmed.catch(() => {})
  }

  /**
   * LAST LOOK: whether the request may be sent now. Its signal, its deadline, the window of its budget and cool-downs are looked at when
   * everything that may wait is over, and nothing but the bytes is left to send. False where it may be sent after a wait.
   * @throws the reason of the signal, or BudgetExceededError where the request does not fit the window of now
   */
  mayBeSent(): boolean {
    const { shared, signal } = this
    signal.throwIfAborted()
    // A redirect that is followed is no attempt of its own.
    if (this.#sent !== undefined) return true
    this.#details.batch?.requireProgress()
    this.#confirm()
    const isCurrent = this.#admission?.isCurrent() === true
    if (this.#confirmed !== undefined || !isCurrent || shared.remaining() === 0) {
      this.#hasWaited = true
      return false
    }
    this.#recordSent()
    // Afterwards, so that what a listener aborts is not sent.
    signal.throwIfAborted()
    shared.totals.attempts++
    shared.isSending = true
    return true
  }

  #recordSent(): void {
    this.#sent = this.#context.usage.recordSent()
    this.sentAt = this.#context.cache?.now()
    this.emit({ type: 'request.sent', params: this.#details.params })
  }

  /** Remembers whether it may be retried, and begins a cool-down. A front knows nothing of what the service takes. */
  #recordRefusal(refusal: EtnMarketError, isFront: boolean, apiKey: string | undefined): void {
    if (refusal.retryable) this.#retryable = refusal
    // Without a key a proxy answers: that a call does not fit a budget there holds up no other call.
    const isOfProxy = apiKey === undefined && isBudgetRefusal(refusal)
    if (isOfProxy) this.#admission?.end('succeeded')
    const cooldown = isFront || isOfProxy ? undefined : cooldownOf(refusal, this.#context.maxCooldownMs)
    if (cooldown === undefined || this.#admission === undefined) return
    const waitMs = this.#admission.refuse(cooldown.scope, cooldown.waitMs)
    this.emit({ type: 'cooldown.started', scope: cooldown.scope, waitMs })
  }

  #spending(cause?: unknown): ReservationDetails {
    const { attempts, charge, credits } = this.shared.totals
    return { operation: this.request.operation, attempts, charge, credits, cause }
  }

  #emit(raised: Parameters<RequestEmit>[0]): void {
    // Fields one by one: to spread an event takes a tenth of a call.
    const event = raised as unknown as RequestEventBase
    event.callId = this.#details.callId
    event.requestId = this.#details.requestId
    event.operation = this.request.operation
    event.attempt = this.#number
    this.#context.emit(event as ClientEvent)
  }
}
