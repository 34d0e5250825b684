import pRetry, { type Options } from 'p-retry'
import type { CacheEvent, ClientEvent, RequestEventBase } from '../client/events.ts'
import type { AdmissionControl, AdmissionRequest, CooldownScope } from '../concurrency/admission-types.ts'
import { raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, sleep } from '../concurrency/clock.ts'
import type { Reservation, ReservationDetails } from '../credits/budget.ts'
import { releaseReservation, reserveInBoth, type SpendingLimit } from '../credits/joint-budget.ts'
import type { Usage } from '../credits/usage.ts'
import type { EtnMarketError } from '../errors/base.ts'
import type { RequestHeaders } from '../transport/request-headers.ts'
import type { Transport } from '../transport/transport.ts'
import type { ApiKeySource } from './api-key.ts'
import { Attempt } from './attempt.ts'
import type { Batch } from './batch.ts'
import type { ChargeTotals } from './billing.ts'
import type { Cache } from './cache.ts'
import type { CallLifetimes } from './call-lifetime.ts'
import { InFlightRequest, type InFlightRequests } from './dedupe.ts'
import type { PlannedRequest } from './plan-requests.ts'
import type { RequestResult } from './read-answer.ts'
import { cooldownError, retryDelay } from './retry.ts'
import type { CallSettings } from './settings.ts'

export type Emit = (event: ClientEvent) => void

type OfRequest = Exclude<Extract<ClientEvent, Pick<RequestEventBase, 'requestId'>>, CacheEvent>
type WithoutIds<Event> = Event extends unknown ? Omit<Event, keyof RequestEventBase> : never

/** Raises an event of one attempt; its ids are added. */
export type RequestEmit = (event: WithoutIds<OfRequest>) => void

/** What is asked for, by whom and within which limits. */
export interface RequestDetails {
  /** Its `dedupeKey`. */
  readonly key: string
  readonly baseUrl: string
  readonly request: PlannedRequest
  readonly settings: CallSettings
  readonly callId: string
  readonly requestId: string
  readonly params: unknown
  /** What the call has to fit beside the client's budget. */
  readonly limit: SpendingLimit | undefined
  readonly batch: Batch | undefined
}

export interface SendContext {
  readonly clock: Clock
  readonly budget: SpendingLimit
  readonly usage: Usage
  readonly cache: Cache | undefined
  readonly admission: AdmissionControl
  readonly lifetimes: CallLifetimes
  readonly inFlight: InFlightRequests
  readonly transport: Transport
  readonly requestHeaders: RequestHeaders
  /** The longest cool-down, in milliseconds; after it one request asks again. */
  readonly maxCooldownMs: number
  readonly maxResponseBytes: number
  /** Undefined where nobody listens: then no event is made, which takes a tenth of a call. */
  readonly emit: Emit | undefined
  readonly apiKey: ApiKeySource
  /** The name of a key, which shows nothing of it. */
  keyName(apiKey: string): string
}

/**
 * Microtasks until a caller can abort the calls that it made beside a refused one: its own `await`, `Promise.all` and `catch` take some, and there
 * is no promise to wait for instead.
 */
const STEPS_BEFORE_SENDING = 6

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

/** A request that is under way, over all its attempts: what is reserved for it, and whether it is tried again. */
export class ChargedRequest extends InFlightRequest implements AdmissionRequest {
  readonly request: PlannedRequest
  readonly settings: CallSettings
  readonly batch: Batch | undefined
  readonly callId: string
  readonly params: unknown
  readonly url: string
  readonly isHeavy: boolean
  readonly arrival: number
  readonly emit: RequestEmit | undefined
  /** Empty for none. */
  apiKey = ''
  /** The attempt under way: 1 for the first. */
  number = 0
  /** Whether it has waited since it was last about to be sent: then a turn of the event loop passes before it is sent. */
  hasWaited: boolean
  /** What the service, and no hook, let the last attempt fail with, where it may be retried. */
  retryable: EtnMarketError | undefined
  /** What the store of a budget still writes. */
  confirmed: Promise<void> | undefined
  /** What is reserved for the attempt under way; undefined before the first. */
  reservation: Reservation | undefined
  readonly #details: RequestDetails
  readonly #context: SendContext

  constructor(details: RequestDetails, context: SendContext) {
    const { key, request, settings, batch, callId, params, baseUrl } = details
    super(context.inFlight, key)
    this.request = request
    this.settings = settings
    this.batch = batch
    this.callId = callId
    this.params = params
    this.url = baseUrl + request.path
    this.isHeavy = request.isHeavy
    this.arrival = context.admission.nextArrival()
    this.#details = details
    this.#context = context
    this.hasWaited = context.cache !== undefined
    this.emit = context.emit && ((raised) => this.#emit(raised))
  }

  /**
   * ONE CHARGED REQUEST. Reserves its worst case now, then p-retry around its attempts: key -> admission -> last look -> transport -> billing ->
   * parse -> validate. Its answer is kept in the cache.
   */
  protected async send(): Promise<RequestResult> {
    const { request, batch, signal, callId } = this
    const { requestId } = this.#details
    let releaseSlot: (() => void) | undefined
    try {
      const reserved = batch ? batch.addReservation(() => this.#reserve(), request.cost.max) : this.#reserve()
      reserved?.catch(() => {})
      // Sends no call that is aborted in the tick in which it was made, or because one that was made beside it has failed.
      for (let step = 0; step < STEPS_BEFORE_SENDING; step++) await undefined
      if (reserved !== undefined) await raceWithAbort(reserved, signal)
      if (batch !== undefined) releaseSlot = await this.#waitForSlot(batch)
      const result = await pRetry((number) => this.#attempt(number), retryOptions(this))
      this.#context.cache?.set(request, result, { callId, requestId, operation: request.operation }, this.sentAt)
      return result
    } catch (error) {
      // p-retry wraps what is not an Error, such as the reason of a signal.
      throw signal.aborted ? signal.reason : error
    } finally {
      // One that was sent is billed by then: what it was charged stays counted, and what a lost one may have been charged stays blocked.
      this.reservation?.release()
      releaseSlot?.()
    }
  }

  protected reportUnclaimed({ attempts: attempt, credits, charge }: ChargeTotals): void {
    if (charge === 'none') return
    const { callId, request } = this
    const { requestId } = this.#details
    const { operation } = request
    this.#context.emit?.({ type: 'credits.unclaimed', callId, requestId, operation, attempt, credits, charge })
  }

  /**
   * Reserves the worst case of the next attempt, at once, in the client's budget and in the limit that the call brings along. A promise where
   * a store has to write it. @throws BudgetExceededError where it does not fit
   */
  #reserve(cause?: unknown): Promise<void> | undefined {
    const { budget } = this.#context
    const { limit } = this.#details
    const details = this.#spending(cause)
    const { max } = this.request.cost
    const reserved = limit ? reserveInBoth(limit, budget, max, details) : budget.reserve(max, details)
    if ('then' in reserved) return this.#awaitReservation(reserved)
    this.reservation = reserved
    return undefined
  }

  async #awaitReservation(reserving: Promise<Reservation>): Promise<void> {
    this.hasWaited = true
    try {
      this.reservation = await this.awaitState(reserving)
    } catch (error) {
      // A store may still write it.
      this.#context.lifetimes.track(releaseReservation(reserving))
      throw error
    }
  }

  /** Right before sending: moves the reservation to the window of now, for the key of now. @throws BudgetExceededError when it does not fit there */
  confirm(): void {
    // What is being written counts for the window in which that began; afterwards it is looked at again.
    if (this.confirmed !== undefined) return
    const confirmed = this.reservation?.confirm(this.#spending(), this.#context.keyName(this.apiKey))
    if (confirmed === undefined) return
    this.confirmed = confirmed
    // An attempt waits for it, unless the request ends before.
    confirmed.catch(() => {})
  }

  async awaitConfirmed(): Promise<void> {
    if (this.confirmed !== undefined) await this.awaitState(this.confirmed)
    this.confirmed = undefined
  }

  async #waitForSlot({ slots }: Batch): Promise<() => void> {
    const free = slots.tryAcquire()
    if (free !== undefined) return free
    this.hasWaited = true
    this.setQueued(true)
    const release = await slots.acquire(this.signal)
    this.setQueued(false)
    return release
  }

  /** Asks for the key, and makes an attempt. */
  async #attempt(number: number): Promise<RequestResult> {
    this.number = number
    this.retryable = this.confirmed = this.sentAt = undefined
    if (!this.request.isKeyless) {
      const apiKey = this.#context.apiKey(this.signal)
      if (typeof apiKey !== 'string') this.hasWaited = true
      this.apiKey = typeof apiKey === 'string' ? apiKey : await apiKey
    }
    return new Attempt(this, this.#context).run()
  }

  /** After a failure: waits, and reserves the credits of the next attempt. @throws the failure itself, where it is the last */
  async prepareRetry(error: Error, retriesLeft: number): Promise<void> {
    const { settings, batch, signal } = this
    const { clock } = this.#context
    const refusal = this.retryable
    if (refusal === undefined || retriesLeft <= 0) throw error
    this.reservation?.release()
    this.dropStopped(error)
    batch?.throwIfStopped()
    const waitMs = retryDelay(refusal, {
      attempt: this.number,
      remainingMs: this.remaining(),
      maxRetryAfterMs: settings.maxRetryAfterMs,
      random: clock.random(),
    })
    if (waitMs === undefined) throw error
    this.emit?.({ type: 'retry.scheduled', code: refusal.code, waitMs })
    await sleep(clock, waitMs, signal)
    this.hasWaited = true
    batch?.throwIfStopped()
    await this.#reserve(error)
  }

  rejectWait(scope: CooldownScope, waitMs: number): EtnMarketError | undefined {
    const { request, settings } = this
    const limits = { remainingMs: this.remaining(), maxRetryAfterMs: settings.maxRetryAfterMs }
    return cooldownError(scope, waitMs, limits, request.operation)
  }

  recordProgress(): void {
    this.#context.lifetimes.recordProgress(this.#context.clock.monotonic())
  }

  #spending(cause?: unknown): ReservationDetails {
    const { attempts, charge, credits } = this.totals
    return { operation: this.request.operation, attempts, charge, credits, cause }
  }

  #emit(raised: Parameters<RequestEmit>[0]): void {
    // Fields one by one: to spread an event takes a tenth of a call.
    const event = raised as unknown as RequestEventBase
    event.callId = this.callId
    event.requestId = this.#details.requestId
    event.operation = this.request.operation
    event.attempt = this.number
    this.#context.emit?.(event as ClientEvent)
  }
}
