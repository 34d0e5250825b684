import type { ApiPromise, CallMeta } from '../api-promise.ts'
import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts'
import { sumCosts } from '../credits/cost.ts'
import { COPY_WITH, EtnMarketError } from '../errors/base.ts'
import { BudgetExceededError } from '../errors/budget.ts'
import { createBatchProgress } from './batch-progress.ts'
import type { Cache } from './cache.ts'
import { appendCallerFrames, type CallDetails, toCallError } from './call-errors.ts'
import type { CallInput, CallPlan } from './call-input.ts'
import type { CallLifetime, CallLifetimes } from './call-lifetime.ts'
import { callEndEvent, callMeta, createTotals, sumPaid } from './call-meta.ts'
import { dedupeKey, type InFlightRequest, type InFlightRequests, type SharedResult } from './dedupe.ts'
import { copyEnvelope, isExpected } from './read-answer.ts'
import { ignoreEvents } from './request-events.ts'
import { send } from './send.ts'
import { type CallSettings, callSettings } from './settings.ts'
import type {
  BatchProgress,
  Envelope,
  PaidResult,
  PlannedRequest,
  RequestResult,
  RequestState,
  SendContext,
} from './types.ts'
export interface CallContext extends SendContext {
  readonly settings: CallSettings
  readonly lifetimes: CallLifetimes
  readonly inFlight: InFlightRequests<RequestResult>
  readonly cache: Cache | undefined
  readonly batchConcurrency: number
  /** Takes the secrets out of an error. */
  redact(error: EtnMarketError): EtnMarketError
}

/** What a call is made of, once its parameters are known to be right. */
interface CallState {
  readonly input: CallInput
  readonly settings: CallSettings
  readonly lifetime: CallLifetime
  readonly plan: CallPlan
  readonly context: CallContext
  /** Of a call of several requests. */
  batch: BatchProgress | undefined
}

type StartedRequest = PaidResult | Promise<PaidResult>

/**
 * ONE CALL: validate -> plan -> cache -> dedupe + reserve -> send -> merge. `keepMeta` gets the way to what it cost, for those who ask.
 * A caller gets this very promise: engines follow no other chain to the caller's own line in the stack of an error.
 */
export async function call(
  input: CallInput,
  client: CallContext,
  keepMeta: (readMeta: () => CallMeta) => void,
): Promise<unknown> {
  let state: CallState | undefined
  let results: PaidResult[] = []
  try {
    state = openCall(input, client)
    const { context, lifetime, settings } = state
    const { requests, merge } = state.plan
    if (requests.length > 1) state.batch = createBatchProgress(context.clock, settings.deadlineMs, lifetime.endEarly)
    const { callId, signal } = lifetime
    const { operation, params } = input
    context.emit({ type: 'call.started', callId, operation, params, estimated: sumCosts(requests).max })
    const cached = context.cache === undefined || settings.isReload ? [] : await readCache(context.cache, state)
    const started = startRequests(cached, state)
    // Most calls have one, which needs no further promise.
    results = started.length === 1 ? [await (started[0] as PaidResult)] : await Promise.all(started)
    // What one chunk brought is of no use to a caller who has left.
    if (signal.aborted && requests.length > 1) throw signal.reason
    const data = merge(results)
    emitEnd(state, results)
    const remaining = context.usage.remaining()
    const durationMs = lifetime.elapsed()
    keepMeta(() => callMeta(requests, results, remaining, durationMs))
    return data
  } catch (error) {
    const failure = state === undefined ? error : failCall(ofWholeCall(error, state), state, results)
    if (!(failure instanceof EtnMarketError)) throw failure
    const { operation, params } = input
    const isComplete = failure.operation !== undefined && failure.params !== undefined
    throw client.redact(appendCallerFrames(isComplete ? failure : failure[COPY_WITH]({ operation, params })))
  } finally {
    state?.batch?.end()
    state?.lifetime.end()
  }
}

/** @throws InvalidRequestError for parameters or options that are not accepted, or the reason of a signal that has aborted */
function openCall(input: CallInput, context: CallContext): CallState {
  const { options } = input
  const settings = callSettings(options, context.settings, input.ownOptions)
  const plan = input.plan()
  context.baseUrl()
  input.stop?.throwIfAborted()
  const lifetime = context.lifetimes.open(settings.deadlineMs, options?.signal)
  return { input, settings, lifetime, plan, context, batch: undefined }
}

const requestIdOf = (callId: string, index: number) => `${callId}.${index + 1}`

function detailsOf(state: CallState): CallDetails {
  const { operation, params } = state.input
  const requestIds = state.plan.requests.map((_, index) => requestIdOf(state.lifetime.callId, index))
  return { operation, params, requestIds, deadlineMs: state.settings.deadlineMs }
}

/** What the call rejects with, of which an event has told. */
function failCall(error: unknown, state: CallState, results: readonly PaidResult[]): unknown {
  const isShared = results.length === 1 && results[0]?.isShared
  const failure = toCallError(error, detailsOf(state), sumPaid(results), isShared)
  emitEnd(state, results, failure)
  return failure
}

function emitEnd({ context, input, lifetime }: CallState, results: readonly PaidResult[], failure?: unknown): void {
  if (context.emit === ignoreEvents) return
  const { operation, params } = input
  const { callId } = lifetime
  context.emit(callEndEvent({ callId, operation, params, durationMs: lifetime.elapsed() }, results, failure))
}

/** The fresh answers of the cache, one for each request. */
function readCache(cache: Cache, { lifetime, plan, input, settings }: CallState) {
  const { signal, callId } = lifetime
  const { operation } = input
  const wait = { signal, deadlineMs: settings.deadlineMs }
  return Promise.all(
    plan.requests.map((request, index) => {
      const requestId = requestIdOf(callId, index)
      return cache.get(request, { callId, operation, requestId }, wait)
    }),
  )
}

/**
 * Gives each request its answer to come: from the cache, from an equal request in flight, or from a request of its own.
 * Nothing here waits, so that a batch that does not fit the budget sends none of its requests.
 */
function startRequests(cached: readonly (Envelope | undefined)[], state: CallState): StartedRequest[] {
  const { plan, lifetime, context, input } = state
  const { requests } = plan
  lifetime.signal.throwIfAborted()
  input.stop?.throwIfAborted()
  const batchSlots = requests.length > 1 ? createSemaphore(context.batchConcurrency) : undefined
  return requests.map((request, index) => {
    const envelope = cached[index]
    return envelope === undefined ? ask(index, batchSlots, state) : fromCache(envelope, request, state)
  })
}

/** The answer of an equal request in flight, or of a request of its own. */
function ask(index: number, batchSlots: Semaphore | undefined, state: CallState): Promise<PaidResult> {
  const { plan, settings, context } = state
  const request = plan.requests[index] as PlannedRequest
  const key = dedupeKey(request, settings)
  const run = (shared: InFlightRequest<RequestResult>) => start(shared, index, batchSlots, state)
  const shared = context.inFlight.get(key) ?? context.inFlight.start(key, run)
  return join(shared, state).then((result) => {
    if (!result.mustRestart) return toPaidResult(result, shared, request, state)
    return refuseOwn(request, state) ?? ask(index, batchSlots, state)
  })
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

/** What does not fit as a part of a batch is said of the whole batch, of which nothing was sent. */
function ofWholeCall(error: unknown, { batch, input, context }: CallState): unknown {
  if (batch === undefined || !(error instanceof BudgetExceededError) || error.attempts > 0) return error
  try {
    for (const budget of [input.budget, context.budget]) budget?.check(batch.needed, { operation: input.operation })
    return error
  } catch (complete) {
    return complete
  }
}

/** Starts to send a request, whose worst case is reserved at once, and keeps its answer in the cache. */
function start(
  shared: InFlightRequest<RequestResult>,
  index: number,
  batchSlots: Semaphore | undefined,
  state: CallState,
): Promise<RequestResult> {
  const { input, plan, settings, lifetime, context, batch } = state
  const { operation, params } = input
  const { callId } = lifetime
  const { cache, admission } = context
  const { signal, totals, progress } = shared
  const request = plan.requests[index] as PlannedRequest
  const requestId = requestIdOf(state.lifetime.callId, index)
  const requestState: RequestState = {
    request,
    settings,
    callId,
    requestId,
    params,
    arrival: admission.nextArrival(),
    signal,
    totals,
    deadline: shared,
    progress,
    waiters: shared,
    limit: input.budget,
    batchSlots,
    batch,
    reservation: undefined,
    hasWaited: cache !== undefined,
  }
  const sent = send(requestState, context)
  if (cache === undefined) return sent
  return sent.then((result) => {
    if (isExpected(request, result.envelope)) cache.set(request, result.text, { callId, requestId, operation })
    return result
  })
}

function join(
  shared: InFlightRequest<RequestResult>,
  { lifetime, settings, input, batch }: CallState,
): Promise<SharedResult<RequestResult>> {
  return shared.join({
    signal: lifetime.signal,
    stop: input.stop,
    finishes: settings.whenAborted === 'finish',
    limit: input.budget,
    startDeadline(onExpire) {
      batch?.onStall(onExpire)
      return lifetime.startDeadline(onExpire)
    },
  })
}

function toPaidResult(
  { value, error, isPayer }: SharedResult<RequestResult>,
  shared: InFlightRequest<RequestResult>,
  request: PlannedRequest,
  state: CallState,
): PaidResult {
  const totals = { ...shared.totals }
  const paid = isPayer ? totals : { ...createTotals(), attempts: totals.attempts }
  const isShared = !isPayer
  state.input.onAnswer?.(request.path, value === undefined ? { error } : value)
  if (value === undefined) return { error: toCallError(error, detailsOf(state), totals, isShared), paid, isShared }
  state.batch?.recordAnswer()
  // Each caller may change what it gets, so those that share get a copy.
  const envelope = isPayer ? value.envelope : (copyEnvelope(request, value.text) ?? value.envelope)
  const { status, headers } = value
  return { answer: { envelope, status, headers, totals, from: isPayer ? 'service' : 'shared' }, paid, isShared }
}

function fromCache(envelope: Envelope, { path }: PlannedRequest, { input }: CallState): PaidResult {
  input.onAnswer?.(path, { text: JSON.stringify(envelope) })
  const paid = createTotals()
  return { answer: { envelope, totals: paid, from: 'cache' }, paid, isShared: false }
}

/** One call, read as the data alone or with its cost. */
export function startCall(input: CallInput, context: CallContext): ApiPromise<unknown> {
  let readMeta: () => CallMeta
  const data = call(input, context, (read) => {
    readMeta = read
  })
  return Object.assign(data, { withMeta: () => data.then((value) => ({ data: value, meta: readMeta() })) })
}
