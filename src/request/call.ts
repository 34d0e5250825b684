import type { ApiPromise, CallMeta } from '../api-promise.ts'
import { sumCosts } from '../credits/cost.ts'
import { COPY_WITH, EtnMarketError } from '../errors/base.ts'
import { BudgetExceededError } from '../errors/budget.ts'
import { Batch } from './batch.ts'
import type { Cache } from './cache.ts'
import type { CallLifetime } from './call-lifetime.ts'
import {
  appendCallerFrames,
  type CallDetails,
  callEndEvent,
  callMeta,
  createTotals,
  type PaidResult,
  sumUp,
  toCallError,
} from './call-result.ts'
import { dedupeKey, type InFlightRequest, type InFlightRequests, type SharedResult } from './dedupe.ts'
import type { CallInput, CallPlan, PlannedRequest } from './plan-requests.ts'
import { copyEnvelope, type Envelope } from './read-answer.ts'
import { type SendContext, send } from './send.ts'
import { type CallSettings, callSettings } from './settings.ts'

export interface CallContext extends SendContext {
  readonly settings: CallSettings
  readonly inFlight: InFlightRequests
  readonly cache: Cache | undefined
  readonly batchConcurrency: number
  /** Takes the secrets out of an error. */
  redact<T>(error: T): T
}

/** What a call is made of, once its parameters are known to be right. */
interface CallState {
  readonly input: CallInput
  readonly settings: CallSettings
  readonly lifetime: CallLifetime
  readonly plan: CallPlan
  readonly context: CallContext
  readonly batch: Batch | undefined
}

/** One call, read as the data alone or with its cost. */
export function startCall(input: CallInput, context: CallContext): ApiPromise<unknown> {
  const report: { meta?: CallMeta } = {}
  const data = call(input, context, report)
  return Object.assign(data, { withMeta: () => data.then((value) => ({ data: value, meta: report.meta as CallMeta })) })
}

/**
 * ONE CALL: validate -> plan -> cache -> dedupe + reserve -> send -> merge. `report` gets what it cost.
 * A caller gets this very promise: engines follow no other chain to the caller's own line in the stack of an error.
 */
async function call(input: CallInput, context: CallContext, report: { meta?: CallMeta }): Promise<unknown> {
  const { operation, params } = input
  let state: CallState | undefined
  let results: PaidResult[] = []
  try {
    const opened = openCall(input, context)
    state = opened
    const { lifetime, plan, settings } = opened
    const { callId, signal } = lifetime
    context.emit({ type: 'call.started', callId, operation, params, estimated: sumCosts(plan.requests).max })
    const cached = context.cache === undefined || settings.isReload ? [] : await readCache(context.cache, opened)
    signal.throwIfAborted()
    input.stop?.throwIfAborted()
    // Nothing here waits, so that a batch that does not fit the budget sends none of its requests.
    const started = plan.requests.map((_, index) => answer(index, cached[index], opened))
    // Most calls have one, whose error has a shorter way to the caller.
    results = started.length === 1 ? [await (started[0] as Promise<PaidResult>)] : await Promise.all(started)
    // What one chunk brought is of no use to a caller who has left.
    if (plan.requests.length > 1) signal.throwIfAborted()
    const data = plan.merge(results)
    emitEnd(state, results)
    report.meta = callMeta(plan.requests, results, context.usage.remaining(), lifetime.elapsed())
    return data
  } catch (error) {
    const failure = state === undefined ? error : failCall(error, state, results)
    if (!(failure instanceof EtnMarketError)) throw failure
    const isComplete = failure.operation !== undefined && failure.params !== undefined
    throw context.redact(appendCallerFrames(isComplete ? failure : failure[COPY_WITH]({ operation, params })))
  } finally {
    state?.lifetime.end()
  }
}

/** @throws InvalidRequestError for parameters or options that are not accepted, or the reason of a signal that has aborted */
function openCall(input: CallInput, context: CallContext): CallState {
  const { options, operation } = input
  const settings = callSettings(options, context.settings, operation)
  const plan = input.plan()
  context.baseUrl()
  input.stop?.throwIfAborted()
  const lifetime = context.lifetimes.open(settings.deadlineMs, options?.signal)
  const batch = plan.requests.length === 1 ? undefined : new Batch(lifetime, context.clock, context.batchConcurrency)
  return { input, settings, lifetime, plan, context, batch }
}

const requestIdOf = ({ lifetime }: CallState, index: number) => `${lifetime.callId}.${index + 1}`

/** The fresh answers of the cache, one for each request. */
function readCache(cache: Cache, state: CallState): Promise<readonly (Envelope | undefined)[]> {
  const { lifetime, plan, input } = state
  const { signal, callId, deadlineMs } = lifetime
  return Promise.all(
    plan.requests.map((request, index) => {
      const ids = { callId, operation: input.operation, requestId: requestIdOf(state, index) }
      return cache.get(request, ids, { signal, deadlineMs })
    }),
  )
}

/** The answer to one request: from the cache, from an equal request in flight, or from a request of its own. */
async function answer(index: number, cached: Envelope | undefined, state: CallState): Promise<PaidResult> {
  const { plan, settings, context, lifetime, input, batch } = state
  const request = plan.requests[index] as PlannedRequest
  if (cached !== undefined) return fromCache(cached, request, state)
  const finishes = settings.whenAborted === 'finish'
  const waiter = { lifetime, stop: input.stop, finishes, limit: input.budget, progress: batch?.progress }
  for (;;) {
    const shared = context.inFlight.get(dedupeKey(request, settings))
    const result = await shared.join(waiter, () => sendOwn(shared, index, state))
    if (!result.mustRestart) return toPaidResult(result, shared, request, state)
    const refused = refuseOwn(request, state)
    if (refused !== undefined) return refused
  }
}

/** Who could not pay alone is refused now: of a crowd in front of an empty budget each would start, and all others wait for it. */
function refuseOwn({ cost, operation }: PlannedRequest, state: CallState): PaidResult | undefined {
  const paid = createTotals()
  try {
    state.input.budget?.check(cost.max, { operation })
    return undefined
  } catch (error) {
    return { error: toCallError(error, detailsOf(state), paid), paid, isShared: false }
  }
}

/** Sends a request, whose worst case is reserved at once, and keeps its answer in the cache. */
async function sendOwn(shared: InFlightRequest, index: number, state: CallState) {
  const { input, plan, settings, lifetime, context, batch } = state
  const { operation, params } = input
  const { callId } = lifetime
  const { cache } = context
  const request = plan.requests[index] as PlannedRequest
  const requestId = requestIdOf(state, index)
  const arrival = context.admission.nextArrival()
  const hasWaited = cache !== undefined
  const own = { request, settings, callId, requestId, params, arrival, shared, limit: input.budget, batch }
  const result = await send({ ...own, reservation: undefined, hasWaited }, context)
  cache?.set(request, result, { callId, requestId, operation })
  return result
}

function toPaidResult(
  { value, error, isPayer }: SharedResult,
  shared: InFlightRequest,
  request: PlannedRequest,
  state: CallState,
): PaidResult {
  const totals = { ...shared.totals }
  const paid = isPayer ? totals : { ...createTotals(), attempts: totals.attempts }
  const isShared = !isPayer
  state.input.onAnswer?.(request.path, value === undefined ? { error } : value)
  if (value === undefined) return { error: toCallError(error, detailsOf(state), totals, isShared), paid, isShared }
  state.batch?.progress.recordAnswer()
  // Each caller may change what it gets, so those that share get a copy.
  const envelope = isPayer ? value.envelope : (copyEnvelope(request, value.text) ?? value.envelope)
  const { status, headers } = value
  return { answer: { envelope, status, headers, isCached: false }, paid, isShared }
}

function fromCache(envelope: Envelope, { path }: PlannedRequest, { input }: CallState): PaidResult {
  input.onAnswer?.(path, { text: JSON.stringify(envelope) })
  return { answer: { envelope, isCached: true }, paid: createTotals(), isShared: false }
}

function detailsOf(state: CallState): CallDetails {
  const { operation, params } = state.input
  const requestIds = state.plan.requests.map((_, index) => requestIdOf(state, index))
  return { operation, params, requestIds, deadlineMs: state.settings.deadlineMs }
}

/** What the call rejects with, of which an event has told. */
function failCall(error: unknown, state: CallState, results: readonly PaidResult[]): unknown {
  const isShared = results.length === 1 && results[0]?.isShared
  const failure = toCallError(ofWholeCall(error, state), detailsOf(state), sumUp(results), isShared)
  emitEnd(state, results, failure)
  return failure
}

/** What does not fit as a part of a batch is said of the whole batch, of which nothing was sent. */
function ofWholeCall(error: unknown, { batch, input, context }: CallState): unknown {
  if (batch === undefined || !(error instanceof BudgetExceededError) || error.attempts > 0) return error
  const { needed } = batch.reservations
  try {
    for (const budget of [input.budget, context.budget]) budget?.check(needed, { operation: input.operation })
    return error
  } catch (complete) {
    return complete
  }
}

function emitEnd({ context, input, lifetime }: CallState, results: readonly PaidResult[], failure?: unknown): void {
  const { operation, params } = input
  const { callId } = lifetime
  context.emit(callEndEvent({ callId, operation, params, durationMs: lifetime.elapsed() }, results, failure))
}
