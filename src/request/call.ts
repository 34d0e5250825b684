import type { ApiPromise, CallMeta, WithMeta } from '../client/api-promise.ts'
import type { CallEndedEvent } from '../client/events.ts'
import { TimeoutError } from '../errors/api.ts'
import { type CallName, COPY_WITH, EtnMarketError } from '../errors/base.ts'
import { BudgetExceededError, describeCall, StateUnavailableError } from '../errors/budget.ts'
import { appendCallerFrames } from '../errors/caller-frames.ts'
import { InvalidRequestError } from '../errors/input.ts'
import type { ResponseHeaders } from '../transport/transport.ts'
import { copyData } from '../utils/json-data.ts'
import { isError } from '../utils/runtime.ts'
import { Batch } from './batch.ts'
import { type CallTotals, type ChargeTotals, createTotals, type PaidResult, sumUp } from './billing.ts'
import type { CallLifetime } from './call-lifetime.ts'
import { DEADLINE_EXCEEDED, dedupeKey, STATE_DEADLINE_EXCEEDED } from './dedupe.ts'
import type { CallInput, CallPlan, PlannedRequest } from './plan-requests.ts'
import { copyEnvelope, type Envelope } from './read-answer.ts'
import { ChargedRequest, type SendContext } from './send.ts'
import { type CallSettings, callSettings } from './settings.ts'

export interface CallContext extends SendContext {
  readonly settings: CallSettings
  readonly batchConcurrency: number
  baseUrl(): string
  redact<T>(error: T): T
}

/**
 * The cost and the course of a call, which most callers do not read. Nothing here leads to an answer, which would live as long as the promise,
 * unless its `text` was asked for before it came.
 */
type CallReport = Partial<
  { sum: CallTotals; count: number; headers: ResponseHeaders | undefined } & Pick<CallMeta, 'durationMs' | 'status'> &
    Pick<CallMeta['credits'], 'estimated' | 'remaining'>
> & { readonly operation: CallName; isTextWanted: boolean; text?: string }

const REPORT = Symbol('report')
type CallPromise = Promise<unknown> & { readonly [REPORT]: CallReport }

/** How an answer is read. All calls share these functions, so that a promise that is kept stays small. */
const FORMS = {
  withMeta(this: CallPromise): Promise<WithMeta<unknown>> {
    return this.then((data) => ({ data, meta: callMeta(this[REPORT] as Required<CallReport>) }))
  },
  asResponse(this: CallPromise): Promise<Response> {
    this[REPORT].isTextWanted = true
    return this.then(() => toResponse(this[REPORT]))
  },
}

/** One call, read as the data alone, with its cost or as a response. */
export function startCall(input: CallInput, context: CallContext): ApiPromise<unknown> {
  const report: CallReport = { operation: input.operation, isTextWanted: false }
  return Object.assign(run(input, context, report), FORMS, { [REPORT]: report })
}

/** What the service sent, or what stands for it: the answer that was kept, or the data of all requests of a batch. */
function bodyOf([{ answer } = {}, ...more]: readonly Partial<PaidResult>[], data: unknown): string {
  return more.length > 0 ? JSON.stringify({ data }) : (answer?.text ?? JSON.stringify(answer?.envelope))
}

/** What describes the bytes that were sent or their connection, and not the text that was decoded from them. */
const HEADERS_OF_BYTES: readonly string[] = [
  ...['content-encoding', 'content-length', 'transfer-encoding'],
  ...['connection', 'keep-alive'],
]
/** A `Response` with these has no body. */
const STATUSES_WITHOUT_BODY: readonly number[] = [204, 205]

/** @throws InvalidRequestError for an answer that nobody had asked for when it came, and that was not kept */
function toResponse({ operation, text, status = 200, headers }: CallReport): Response {
  if (text === undefined) {
    const message = `${operation}: the answer is no longer there. Call asResponse() right after the call, not after an await.`
    throw new InvalidRequestError(message, { code: 'answer_not_kept', operation })
  }
  const lines = [...(headers ?? [['content-type', 'application/json'] as const])].filter(
    ([name]) => !HEADERS_OF_BYTES.includes(name),
  )
  return new Response(STATUSES_WITHOUT_BODY.includes(status) ? null : text, { status, headers: lines })
}

/**
 * ONE CALL: validate -> plan -> cache -> dedupe + reserve -> send -> merge. `report` gets what it cost.
 * A caller gets this very promise: engines follow no other chain to the caller's own line in the stack of an error.
 */
async function run(input: CallInput, context: CallContext, report: CallReport): Promise<unknown> {
  const { operation, params } = input
  let call: Call | undefined
  let results: PaidResult[] = []
  try {
    const opened = new Call(input, context)
    call = opened
    const { lifetime, plan, requests, settings } = opened
    const { callId, signal } = lifetime
    const estimated = requests.reduce((sum, { cost }) => sum + cost.max, 0)
    context.emit?.({ type: 'call.started', callId, operation, params, estimated })
    const cached = context.cache === undefined || settings.isReload ? [] : await opened.readCache(context.cache)
    signal.throwIfAborted()
    input.stop?.throwIfAborted()
    // All start in this tick, and with that reserve their worst case, so that a batch that does not fit the budget sends none of its requests.
    const started = requests.map((request, index) => opened.answer(request, index, cached[index]))
    // None of them rejects. Most calls have one, which needs no Promise.all.
    results = started.length === 1 ? [await (started[0] as Promise<PaidResult>)] : await Promise.all(started)
    // What one chunk brought is of no use to a caller who has left.
    if (requests.length > 1) signal.throwIfAborted()
    const [{ answer, error } = {}] = results as [PaidResult?]
    if (plan.merge === undefined && answer === undefined) throw error
    const data = plan.merge === undefined ? answer?.envelope.data : plan.merge(results)
    const sum = sumUp(results)
    opened.emitEnd(sum)
    const { status, headers } = results.filter(({ answer }) => answer?.status !== undefined).at(-1)?.answer ?? {}
    const remaining = context.usage.remaining()
    const durationMs = lifetime.elapsed()
    Object.assign(report, { sum, estimated, remaining, count: requests.length, durationMs, status, headers })
    if (report.isTextWanted) report.text = bodyOf(results, data)
    return data
  } catch (error) {
    const failure = call === undefined ? error : call.fail(error, results)
    if (!(failure instanceof EtnMarketError)) throw failure
    const isComplete = failure.operation !== undefined && failure.params !== undefined
    throw context.redact(appendCallerFrames(isComplete ? failure : failure[COPY_WITH]({ operation, params })))
  } finally {
    call?.lifetime.end()
  }
}

/** A call whose parameters and options are accepted. */
class Call {
  readonly settings: CallSettings
  readonly plan: CallPlan
  readonly requests: readonly PlannedRequest[]
  readonly lifetime: CallLifetime
  readonly #baseUrl: string
  readonly #input: CallInput
  readonly #context: CallContext
  readonly #batch: Batch | undefined

  /** @throws InvalidRequestError for parameters or options that are not accepted, or the reason of a signal that has aborted */
  constructor(input: CallInput, context: CallContext) {
    const { options, operation, stop } = input
    this.#input = input
    this.#context = context
    this.settings = options === undefined ? context.settings : callSettings(options, context.settings, operation)
    this.plan = input.plan()
    this.requests = this.plan.requests
    this.#baseUrl = context.baseUrl()
    stop?.throwIfAborted()
    this.lifetime = context.lifetimes.open(this.settings.deadlineMs, options?.signal)
    const { clock, batchConcurrency } = context
    this.#batch = this.requests.length === 1 ? undefined : new Batch(this.lifetime, clock, batchConcurrency)
  }

  readCache(cache: NonNullable<CallContext['cache']>): Promise<readonly (Envelope | undefined)[]> {
    const { signal, callId, deadlineMs } = this.lifetime
    const { operation } = this.#input
    const read = (request: PlannedRequest, index: number) =>
      cache.get(request, { callId, operation, requestId: this.#requestId(index) }, { signal, deadlineMs })
    return Promise.all(this.requests.map(read))
  }

  /** The answer to one request: from the cache, from an equal request in flight, or from a request of its own. */
  async answer(request: PlannedRequest, index: number, cached: Envelope | undefined): Promise<PaidResult> {
    const { settings, lifetime } = this
    const { params, stop, budget: limit, onAnswer } = this.#input
    if (cached !== undefined) {
      onAnswer?.(request.path, { text: JSON.stringify(cached) })
      return { answer: { envelope: cached }, paid: createTotals(), isShared: false }
    }
    const batch = this.#batch
    const baseUrl = this.#baseUrl
    const waiter = { lifetime, stop, finishes: settings.whenAborted === 'finish', limit, batch }
    const context = this.#context
    const { callId } = lifetime
    const requestId = this.#requestId(index)
    for (;;) {
      const key = dedupeKey(request, settings)
      const shared =
        context.inFlight.get(key) ??
        new ChargedRequest({ key, baseUrl, request, settings, callId, requestId, params, limit, batch }, context)
      const result = await shared.join(waiter)
      const { answer, error, paid, isShared } = result
      if (result.mustRestart) {
        try {
          // Check this caller's limit first, or callers without credits restart it one by one.
          limit?.check(request.cost.max, { operation: request.operation })
          continue
        } catch (refusal) {
          const paid = createTotals()
          return { error: this.#toError(refusal, paid), paid, isShared: false }
        }
      }
      onAnswer?.(request.path, answer ?? { error })
      if (answer === undefined) return { error: this.#toError(error, paid, isShared), paid, isShared }
      batch?.recordAnswer()
      if (!isShared) return result
      // Each caller may change what it gets, so those that share get a copy.
      const envelope = copyEnvelope(request, answer.text) ?? answer.envelope
      return { ...result, answer: { ...answer, envelope } }
    }
  }

  /** Emits `call.failed` and returns the error. */
  fail(error: unknown, results: readonly PaidResult[]): unknown {
    const isShared = results.length > 0 && results.every((result) => result.isShared)
    const sum = sumUp(results)
    const failure = this.#toError(this.#ofWholeCall(error), sum, isShared)
    this.emitEnd(sum, failure)
    return failure
  }

  emitEnd(sum: CallTotals, failure?: unknown): void {
    const { operation, params, onEnd } = this.#input
    onEnd?.(sum)
    const { attempts, charge, credits, shared, cached } = sum
    this.#context.emit?.({
      type: failure === undefined ? 'call.succeeded' : 'call.failed',
      callId: this.lifetime.callId,
      operation,
      params,
      durationMs: this.lifetime.elapsed(),
      credits,
      charge,
      attempts,
      shared: shared > 0,
      cached: cached > 0,
      ...(failure !== undefined && {
        code: failure instanceof EtnMarketError ? failure.code : 'aborted',
        errorName: isError(failure) ? failure.name : 'AbortError',
      }),
    } as CallEndedEvent)
  }

  /** Reports the cost of the whole batch, of which nothing was sent. */
  #ofWholeCall(error: unknown): unknown {
    if (this.#batch === undefined || !(error instanceof BudgetExceededError) || error.attempts > 0) return error
    const { budget: limit, operation } = this.#input
    try {
      for (const budget of [limit, this.#context.budget]) budget?.check(this.#batch.needed, { operation })
      return error
    } catch (complete) {
      return complete
    }
  }

  /**
   * The error of one caller: a copy with the credits of that caller's call. The reasons of signals are returned as they are.
   * @param isShared another caller pays for the request, and has its credits on the error
   */
  #toError(error: unknown, { attempts, charge, credits }: ChargeTotals, isShared = false): unknown {
    const { operation, params } = this.#input
    const known = knownError(error, operation, this.settings.deadlineMs, attempts)
    if (!(known instanceof EtnMarketError)) return known
    return known[COPY_WITH]({
      operation,
      params,
      requestIds: this.requests.map((_, index) => this.#requestId(index)),
      attempts,
      charge,
      credits,
      // Each caller may change what it gets.
      ...(isShared && { shared: true, body: copyData(known.body), issues: copyData(known.issues) }),
    })
  }

  #requestId(index: number): string {
    return `${this.lifetime.callId}.${index + 1}`
  }
}

/** A request that several calls share is paid by one of them, so that sums are right. */
function callMeta({ sum, estimated, remaining, count, durationMs, status, headers }: Required<CallReport>): CallMeta {
  const source = sum.isComputed ? 'computed' : 'header'
  return {
    credits: {
      estimated,
      charged: sum.credits,
      remaining,
      source: sum.charge === 'charged' || sum.credits > 0 ? source : 'none',
    },
    attempts: sum.attempts,
    requests: count - sum.cached,
    shared: sum.shared > 0,
    sharedForMs: sum.sharedForMs,
    cached: sum.cached > 0,
    durationMs,
    status,
    headers: headers && Object.fromEntries(headers),
  }
}

/** The error of a deadline that has passed; any other one as it is. */
function knownError(error: unknown, operation: CallName, deadlineMs: number, attempts: number): unknown {
  if (error === STATE_DEADLINE_EXCEEDED) {
    const { sent } = describeCall({ operation, attempts })
    const message = `${operation}: the store of the budget, or the Redis of the fleet, did not answer within the ${deadlineMs} ms of the call. ${sent} Check it.`
    return new StateUnavailableError(message, { operation })
  }
  if (error !== DEADLINE_EXCEEDED) return error
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const message = `${operation}: the call did not end within ${deadlineMs} ms, after ${count}. Try again, or allow a longer deadlineMs.`
  return new TimeoutError(message, { code: 'deadline_exceeded', operation })
}
