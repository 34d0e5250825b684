import type { CallMeta } from '../api-promise.ts'
import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts'
import { sumCosts } from '../credits/cost.ts'
import { joinBudgets } from '../credits/joint-budget.ts'
import { COPY_WITH, EtnMarketError } from '../errors/base.ts'
import { createBatchProgress } from './batch-progress.ts'
import type { Cache } from './cache.ts'
import { appendCallerFrames, type CallDetails, toCallError } from './call-errors.ts'
import { callEndEvent } from './call-events.ts'
import type { CallInput, CallPlan } from './call-input.ts'
import type { CallLifetime, CallLifetimes } from './call-lifetime.ts'
import { callMeta } from './call-meta.ts'
import { createTotals, sumPaid } from './charge-totals.ts'
import { DEADLINE_EXCEEDED } from './deadline-exceeded.ts'
import { dedupeKey, type InFlightRequest, type InFlightRequests } from './dedupe.ts'
import { copyEnvelope } from './parse-response.ts'
import { ignoreEvents } from './request-events.ts'
import { send } from './send.ts'
import type { SendContext } from './send-context.ts'
import { type CallSettings, callSettings } from './settings.ts'
import type { BatchProgress, Envelope, PaidResult, PlannedRequest, RequestResult, RequestState } from './types.ts'
import { isExpected } from './validate-response.ts'

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
    if (requests.length > 1) state.batch = createBatchProgress(context.clock, settings.deadlineMs)
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
    const failure = state === undefined ? error : failCall(error, state, results)
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
function openCall(input: CallInput, client: CallContext): CallState {
  const { options } = input
  const settings = callSettings(options, client.settings, input.ownOptions)
  const context = input.budget ? { ...client, budget: joinBudgets(input.budget, client.budget) } : client
  const plan = input.plan()
  context.baseUrl()
  const lifetime = context.lifetimes.open(settings.deadlineMs, options?.signal)
  return { input, settings, lifetime, plan, context, batch: undefined }
}

const requestIdOf = ({ lifetime }: CallState, index: number) => `${lifetime.callId}.${index + 1}`

function detailsOf(state: CallState): CallDetails {
  const { operation, params } = state.input
  const requestIds = state.plan.requests.map((_, index) => requestIdOf(state, index))
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

/** The fresh answers of the cache, one for each request. The deadline counts while its store is read. */
async function readCache(cache: Cache, state: CallState) {
  const { lifetime, plan, input } = state
  const { signal, callId } = lifetime
  const { operation } = input
  const timeLimit = new LightAbortController()
  const deadline = lifetime.startDeadline(() => timeLimit.abort(DEADLINE_EXCEEDED))
  const answers = plan.requests.map((request, index) =>
    cache.get(request, { callId, operation, requestId: requestIdOf(state, index) }),
  )
  try {
    return await raceWithAbort(raceWithAbort(Promise.all(answers), timeLimit), signal)
  } finally {
    deadline.stop()
  }
}

/**
 * Gives each request its answer to come: from the cache, from an equal request in flight, or from a request of its own.
 * Nothing here waits, so that a batch that does not fit the budget sends none of its requests.
 */
function startRequests(cached: readonly (Envelope | undefined)[], state: CallState): StartedRequest[] {
  const { plan, settings, lifetime, context, input } = state
  const { requests } = plan
  const { inFlight } = context
  lifetime.signal.throwIfAborted()
  let batchSlots: Semaphore | undefined
  if (requests.length > 1) {
    const isNew = (request: PlannedRequest, index: number) =>
      cached[index] === undefined && inFlight.get(dedupeKey(request, settings)) === undefined
    context.budget.check(sumCosts(requests.filter(isNew)).max, { operation: input.operation })
    batchSlots = createSemaphore(context.batchConcurrency)
  }
  return requests.map((request, index) => {
    const envelope = cached[index]
    if (envelope !== undefined) return fromCache(envelope, request, state)
    const key = dedupeKey(request, settings)
    const run = (shared: InFlightRequest<RequestResult>) => start(shared, index, batchSlots, state)
    return awaitShared(inFlight.get(key) ?? inFlight.start(key, run), request, state)
  })
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
  const requestId = requestIdOf(state, index)
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

function awaitShared(
  shared: InFlightRequest<RequestResult>,
  request: PlannedRequest,
  state: CallState,
): Promise<PaidResult> {
  const { lifetime, settings, input, batch } = state
  const joined = shared.join({
    signal: lifetime.signal,
    finishes: settings.whenAborted === 'finish',
    startDeadline(onExpire) {
      batch?.onStall(onExpire)
      return lifetime.startDeadline(onExpire)
    },
  })
  return joined.then(({ value, error, isPayer }) => {
    if (value !== undefined) batch?.recordAnswer()
    const totals = { ...shared.totals }
    const paid = isPayer ? totals : { ...createTotals(), attempts: totals.attempts }
    const isShared = !isPayer
    input.onAnswer?.(request.path, value === undefined ? { error } : value)
    if (value === undefined) return { error: toCallError(error, detailsOf(state), totals, isShared), paid, isShared }
    // Each caller may change what it gets, so those that share get a copy.
    const envelope = isPayer ? value.envelope : (copyEnvelope(request, value.text) ?? value.envelope)
    const { status, headers } = value
    return { answer: { envelope, status, headers, totals, from: isPayer ? 'service' : 'shared' }, paid, isShared }
  })
}

function fromCache(envelope: Envelope, { path }: PlannedRequest, { input }: CallState): PaidResult {
  input.onAnswer?.(path, { text: JSON.stringify(envelope) })
  const paid = createTotals()
  return { answer: { envelope, totals: paid, from: 'cache' }, paid, isShared: false }
}
