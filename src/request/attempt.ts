import type { Admission, PermitResult } from '../concurrency/admission-types.ts'
import { LightAbortController } from '../concurrency/cancellation.ts'
import { isSystemClock, sleep, startTimer } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import { EtnMarketError } from '../errors/base.ts'
import { isBudgetRefusal } from '../errors/budget.ts'
import { acceptsLightSignal, checkOutcome, failed, isHead, type Progress } from '../transport/outcome.ts'
import { sizeError } from '../transport/response-text.ts'
import type { AttemptOutcome, HttpAttempt, ResponseHead } from '../transport/transport.ts'
import { parseJson } from '../utils/json-data.ts'
import { namedError } from '../utils/runtime.ts'
import { bill, isFromFront } from './billing.ts'
import { errorOf, isExpected, type Received, type RequestResult, readOutcome, reportMismatch } from './read-answer.ts'
import { cooldownOf } from './retry.ts'
import type { ChargedRequest, SendContext } from './send.ts'

/** Calls that were made together end within so many milliseconds: their timers were started one after another. */
const MAX_BURST_MS = 20

const nothing = (): void => {}

/** The request may be sent after a wait. */
class SentLater extends Error {}

/**
 * ONE ATTEMPT, which the transport talks to: admission -> last look -> transport -> billing -> parse -> validate. It ends with the transport's outcome,
 * or because its time is over or the caller aborted it: it does not wait for a transport that ignores its signal. What a transport takes is its
 * own: it may be copied and taken apart, and leads to no call and no answer once the attempt has ended.
 */
export class Attempt implements HttpAttempt {
  readonly url: string
  readonly headers: HttpAttempt['headers']
  readonly context: HttpAttempt['context']
  readonly maxResponseBytes: number
  readonly signal: AbortSignal
  readonly #controller: AbortController | LightAbortController
  readonly #context: SendContext
  readonly #progress: Progress = { sent: false, head: undefined }
  /** Undefined when the transport has nothing more to say. */
  #sending: ChargedRequest | undefined
  /** The permission to send it. It ends when a cool-down begins. */
  #admission: Admission | undefined
  /** Whether a connection was made for it, or could not be made. */
  #isTried = false
  /** Its number in the order of sending, when it was sent. */
  #sent: number | undefined
  #stopTimer: (() => void) | undefined
  #resolve: (outcome: AttemptOutcome | undefined) => void = nothing
  #reject: (error: unknown) => void = nothing

  constructor(sending: ChargedRequest, context: SendContext) {
    const { request, settings, callId, number: attempt } = sending
    this.url = sending.url
    this.headers = context.requestHeaders(sending.apiKey, settings.headers)
    this.context = { operation: request.operation, callId, attempt }
    this.maxResponseBytes = context.maxResponseBytes
    this.#controller = acceptsLightSignal(context.transport.send) ? new LightAbortController() : new AbortController()
    this.signal = ('signal' in this.#controller ? this.#controller.signal : this.#controller) as AbortSignal
    this.#context = context
    this.#sending = sending
  }

  /** Resolves to the answer. Where its time goes by while hooks run or a connection is waited for, it is sent anew. */
  async run(): Promise<RequestResult> {
    const sending = this.#sending as ChargedRequest
    const { clock, usage, admission, lifetimes } = this.#context
    let result: PermitResult = 'unused'
    try {
      const admitted = admission.admit(sending)
      this.#admission = 'then' in admitted ? await admitted : admitted
      const isReady = sending.hasWaited || this.#admission.hasWaited ? await this.#prepare() : true
      const startedAt = clock.monotonic()
      const outcome = isReady ? await this.#transmit(sending) : undefined
      if (outcome !== undefined) {
        if (this.#isTried && this.#sent === undefined) {
          this.#recordSent(sending)
          sending.totals.attempts++
        }
        // What a hook made of an answer is for the caller; what it cost and refused is the service's word.
        const received = receive(outcome)
        const answered = outcome.answered ? receive(outcome.answered) : received
        const { response } = received
        result = permitResult(answered)
        const endedAt = clock.monotonic()
        if (result === 'succeeded') lifetimes.recordProgress(endedAt)
        sending.batch?.recordEnd(response !== undefined, outcome.failure?.kind)
        bill(answered, this.#sent, sending, usage)
        const durationMs = endedAt - startedAt
        let failure: unknown
        try {
          const read = readOutcome(received, sending, clock)
          if (sending.settings.validate !== 'off' && !isExpected(sending.request, read.envelope))
            await reportMismatch(read, sending)
          if (this.#sent !== undefined) sending.emit?.({ type: 'request.succeeded', durationMs, status: read.status })
          return read
        } catch (error) {
          failure = error
          const code = error instanceof EtnMarketError ? error.code : 'aborted'
          const status = response && { status: response.status }
          if (this.#sent !== undefined) sending.emit?.({ type: 'request.failed', durationMs, ...status, code })
          throw error
        } finally {
          const refusal = answered === received ? failure : errorOf(answered, sending, clock)
          if (refusal instanceof EtnMarketError) this.#recordRefusal(sending, refusal, answered)
          // What a hook could not do, it could not do at the next attempt either.
          if (outcome.failure?.kind === 'hook') sending.retryable = undefined
        }
      }
    } finally {
      sending.isSending = false
      this.#admission?.end(this.#sent === undefined ? 'unused' : result)
    }
    return new Attempt(sending, this.#context).run()
  }

  readonly onConnecting = (): void => {
    if (this.#sending === undefined) return
    this.#isTried = true
    this.#startTimer(this.#sending)
  }

  readonly recheck = (): Promise<void> => {
    const prepared = this.#prepare().then(nothing, (error) => this.#cancel(error))
    // A transport of the user may not wait for it.
    prepared.catch(nothing)
    return prepared
  }

  readonly beforeSend = (): void => {
    const sending = this.#requireOngoing()
    try {
      this.#look(sending)
    } catch (error) {
      this.#cancel(error)
    }
    this.#progress.sent = true
    this.#startTimer(sending)
  }

  readonly onHeaders = (head: ResponseHead): void => {
    this.#progress.head = isHead(head) ? head : undefined
  }

  /** Undefined where the request must be sent later: nothing was sent. Rejects only with what the last look throws. */
  #transmit({ signal }: ChargedRequest): Promise<AttemptOutcome | undefined> {
    const { transport } = this.#context
    if (signal.aborted) return Promise.resolve(failed('aborted', this.#progress, signal.reason))
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      signal.addEventListener('abort', this.#onAbort)
      // A transport of the user may throw, and may return something else than a promise.
      try {
        Promise.resolve(transport.send(this)).then(this.#finish, this.#fail)
      } catch (cause) {
        this.#fail(cause)
      }
    })
  }

  /** Its time begins when it is sent. Until then hooks and queues may take as long as the call has; a connection may take the same time. */
  #startTimer({ settings }: ChargedRequest): void {
    this.#stopTimer?.()
    this.#stopTimer = startTimer(this.#context.clock, settings.timeoutMs, this.#onTimeout)
  }

  /**
   * After a wait: lets a turn of the event loop pass, because a call that ends must not trigger another that is ending in the same turn, and waits
   * for what the last look needs. A budget with a store writes that the request is sent in this window. False where a cool-down has begun.
   */
  async #prepare(): Promise<boolean> {
    const sending = this.#requireOngoing()
    const { lifetimes, clock } = this.#context
    const { batch, signal } = sending
    await nextTurn()
    // If a call ended early, wait 20 ms before the final check. A custom clock decides itself what happens at the same moment.
    if (isSystemClock(clock) && lifetimes.msSinceEarlyEnd() < MAX_BURST_MS) await sleep(clock, MAX_BURST_MS, signal)
    sending.hasWaited = false
    if (sending.remaining() === 0) sending.expire()
    batch?.throwIfStopped()
    sending.confirm()
    await sending.awaitConfirmed()
    signal.throwIfAborted()
    return this.#admission?.isCurrent() === true
  }

  /**
   * LAST LOOK: whether the request may be sent now. Its signal, its deadline, the window of its budget and cool-downs are looked at when
   * everything that may wait is over, and nothing but the bytes is left to send.
   * @throws the reason of the signal, BudgetExceededError where the request does not fit the window of now, or SentLater
   */
  #look(sending: ChargedRequest): void {
    const { signal, batch } = sending
    signal.throwIfAborted()
    // A redirect that is followed is no attempt of its own.
    if (this.#sent !== undefined) return
    batch?.throwIfStopped()
    sending.confirm()
    const isCurrent = this.#admission?.isCurrent() === true
    if (sending.confirmed !== undefined || !isCurrent || sending.remaining() === 0) {
      sending.hasWaited = true
      throw new SentLater('The request must not be sent now: the client sends it later.')
    }
    this.#recordSent(sending)
    // Afterwards, so that what a listener aborts is not sent.
    signal.throwIfAborted()
    sending.totals.attempts++
    sending.isSending = true
  }

  #recordSent(sending: ChargedRequest): void {
    this.#sent = this.#context.usage.recordSent()
    sending.sentAt = this.#context.lifetimes.ages.now()
    sending.emit?.({ type: 'request.sent', params: sending.params })
  }

  /** Remembers whether it may be retried, and begins a cool-down. A front knows nothing of what the service takes. */
  #recordRefusal(sending: ChargedRequest, refusal: EtnMarketError, { response, body }: Received): void {
    if (refusal.retryable) sending.retryable = refusal
    // Without a key a proxy answers: that a call does not fit a budget there holds up no other call.
    const isOfProxy = sending.apiKey === '' && isBudgetRefusal(refusal)
    if (isOfProxy) this.#admission?.end('succeeded')
    const isOfOther = isOfProxy || isFromFront(response, body)
    const cooldown = isOfOther ? undefined : cooldownOf(refusal, this.#context.maxCooldownMs)
    if (cooldown === undefined || this.#admission === undefined) return
    const waitMs = this.#admission.refuse(cooldown.scope, cooldown.waitMs)
    sending.emit?.({ type: 'cooldown.started', scope: cooldown.scope, waitMs })
  }

  #requireOngoing(): ChargedRequest {
    if (this.#sending === undefined) throw new Error('The attempt has ended, so its request must not be sent.')
    return this.#sending
  }

  /** Ends it without an outcome: for the transport it was aborted. */
  #cancel(error: unknown): never {
    if (this.#sending !== undefined) {
      if (!(error instanceof SentLater)) this.#reject(error)
      this.#end(undefined)
      this.#controller.abort(error)
    }
    throw error
  }

  readonly #onAbort = () => this.#stop('aborted', this.#sending?.signal.reason)

  readonly #onTimeout = () => {
    const timeoutMs = this.#sending?.settings.timeoutMs
    this.#stop('timeout', namedError('TimeoutError', `No complete response within ${timeoutMs} ms`))
  }

  #stop(kind: 'timeout' | 'aborted', reason: unknown): void {
    this.#end(failed(kind, this.#progress, reason))
    this.#controller.abort(reason)
  }

  readonly #fail = (cause: unknown) => this.#end(failed('network', this.#progress, cause))

  readonly #finish = (given: unknown) => this.#end(this.#read(given))

  #read(given: unknown): AttemptOutcome {
    const progress = this.#progress
    const outcome = checkOutcome(given, progress.head)
    if (outcome === undefined) {
      // Such a transport may not have reported either that it sent the request.
      progress.sent = true
      return failed('invalid_fetch', progress, new TypeError('the transport gave no outcome that can be read'))
    }
    const answer = outcome.response ?? outcome.failure.response
    const tooLarge = sizeError(answer?.text, this.maxResponseBytes)
    if (answer === undefined || tooLarge === undefined) return outcome
    progress.head = { status: answer.status, headers: answer.headers }
    return { ...failed('too_large', progress, tooLarge), answered: outcome.answered }
  }

  #end(outcome: AttemptOutcome | undefined): void {
    const sending = this.#sending
    if (sending === undefined) return
    this.#sending = undefined
    this.#stopTimer?.()
    sending.signal.removeEventListener('abort', this.#onAbort)
    this.#resolve(outcome)
    this.#resolve = this.#reject = nothing
  }
}

function receive(outcome: AttemptOutcome): Received {
  const response = outcome.response ?? outcome.failure.response
  return { outcome, response, body: parseJson(response?.text) }
}

/** What the end of an attempt shows of the service's limits. */
function permitResult({ outcome, response }: Received): PermitResult {
  const status = response?.status
  // A caller who leaves may leave a refusal behind.
  if (status === 429 || (status === undefined && outcome.failure?.mayHaveArrived)) return 'lost'
  return status !== undefined && status < 500 && status !== 408 ? 'succeeded' : 'failed'
}
