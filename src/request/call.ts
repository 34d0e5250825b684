import type { CallMeta } from '../api-promise.ts'
import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts'
import { sumCosts } from '../credits/cost.ts'
import { joinBudgets } from '../credits/joint-budget.ts'
import { createBatchProgress } from './batch-progress.ts'
import type { Cache } from './cache.ts'
import { type CallDetails, toCallError } from './call-errors.ts'
import { callEndEvent } from './call-events.ts'
import type { CallInput } from './call-input.ts'
import type { CallLifetime, CallLifetimes } from './call-lifetime.ts'
import { callMeta } from './call-meta.ts'
import { createTotals, sumPaid } from './charge-totals.ts'
import { DEADLINE_EXCEEDED, STATE_DEADLINE_EXCEEDED } from './deadline-exceeded.ts'
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
}

/** The data of a call, and what it cost for those who ask. */
export interface CallResult {
  readonly data: unknown
  readMeta(): CallMeta
}

/** A call while it is under way. */
interface CallState {
  readonly input: CallInput
  readonly settings: CallSettings
  readonly lifetime: CallLifetime
  readonly requests: readonly PlannedRequest[]
  readonly details: CallDetails
  readonly context: CallContext
  /** Of a call of several requests. */
  readonly batch: BatchProgress | undefined
}

type StartedRequest = PaidResult | Promise<PaidResult>

/** ONE CALL: validate -> plan -> cache -> dedupe + reserve -> send -> merge. */
export async function call(input: CallInput, client: CallContext): Promise<CallResult> {
  const settings = callSettings(input.options, client.settings, input.ownOptions)
  const context = input.budget ? { ...client, budget: joinBudgets(input.budget, client.budget) } : client
  const { requests, merge } = input.plan()
  const estimated = sumCosts(requests).max
  context.baseUrl()
  const lifetime = context.lifetimes.open(settings.deadlineMs, input.options?.signal)
  const { callId, signal } = lifetime
  const { operation, params } = input
  const requestIds: string[] = []
  for (let number = 1; number <= requests.length; number++) requestIds.push(`${callId}.${number}`)
  const details: CallDetails = { operation, params, requestIds, deadlineMs: settings.deadlineMs }
  const batch = requests.length > 1 ? createBatchProgress(context.clock, settings.deadlineMs) : undefined
  const state: CallState = { input, settings, lifetime, requests, details, context, batch }
  let results: PaidResult[] = []
  const emitEnd = (failure?: unknown) => {
    if (context.emit === ignoreEvents) return
    context.emit(callEndEvent({ callId, operation, params, durationMs: lifetime.elapsed() }, results, failure))
  }
  try {
    context.emit({ type: 'call.started', callId, operation, params, estimated })
    const cached = context.cache === undefined ? [] : await readCache(context.cache, state)
    const started = startRequests(cached, state)
    // Most calls have one, which needs no further promise.
    results = started.length === 1 ? [await (started[0] as PaidResult)] : await Promise.all(started)
    // What one chunk brought is of no use to a caller who has left.
    if (signal.aborted && requests.length > 1) throw signal.reason
    const data = merge(results)
    emitEnd()
    const remaining = context.usage.remaining()
    const durationMs = lifetime.elapsed()
    return { data, readMeta: () => callMeta(requests, results, remaining, durationMs) }
  } catch (error) {
    const isShared = results.length === 1 && results[0]?.isShared
    const failure = toCallError(error, details, sumPaid(results), isShared)
    emitEnd(failure)
    throw failure
  } finally {
    batch?.end()
    lifetime.end()
  }
}

/** The fresh answers of the cache, one for each request. The deadline counts while its store is read. */
async function readCache(cache: Cache, { lifetime, requests, details }: CallState) {
  const { operation, requestIds } = details
  const { signal, callId } = lifetime
  const timeLimit = new LightAbortController()
  const deadline = lifetime.startDeadline(() => timeLimit.abort(DEADLINE_EXCEEDED))
  const answers = requests.map((request, index) =>
    cache.get(request, { callId, operation, requestId: requestIds[index] ?? '' }),
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
  const { requests, settings, lifetime, context, input } = state
  const { inFlight } = context
  lifetime.signal.throwIfAborted()
  let batchSlots: Semaphore | undefined
  if (requests.length > 1) {
    const isNew = (request: PlannedRequest, index: number) =>
      cached[index] === undefined && inFlight.get(dedupeKey(request, settings)) === undefined
    context.budget.check(sumCosts(requests.filter(isNew)).max, { operation: input.operation })
    batchSlots = createSemaphore(context.batchConcurrency)
  }
  const results: StartedRequest[] = []
  for (const [index, request] of requests.entries()) {
    const envelope = cached[index]
    const key = dedupeKey(request, settings)
    const run = (started: InFlightRequest<RequestResult>) => start(started, index, batchSlots, state)
    results.push(
      envelope === undefined
        ? awaitShared(inFlight.get(key) ?? inFlight.start(key, run), request, state)
        : fromCache(envelope, request, state),
    )
  }
  return results
}

/** Starts to send a request, whose worst case is reserved at once, and keeps its answer in the cache. */
function start(
  { signal, totals, deadline, progress }: InFlightRequest<RequestResult>,
  index: number,
  batchSlots: Semaphore | undefined,
  { requests, settings, lifetime: { callId }, details, context, batch }: CallState,
): Promise<RequestResult> {
  const { cache, admission } = context
  const request = requests[index] as PlannedRequest
  const { params, requestIds, operation } = details
  const requestId = requestIds[index] ?? ''
  const arrival = admission.nextArrival()
  // Written out: to spread two objects takes 3 kB.
  const state: RequestState = {
    request,
    settings,
    callId,
    requestId,
    params,
    arrival,
    signal,
    totals,
    deadline,
    progress,
    batchSlots,
    batch,
    reservation: undefined,
    hasWaited: cache !== undefined,
  }
  const sent = send(state, context)
  if (cache === undefined) return sent
  return sent.then((result) => {
    if (isExpected(request, result.envelope)) cache.set(request, result.text, { callId, requestId, operation })
    return result
  })
}

async function awaitShared(
  inFlight: InFlightRequest<RequestResult>,
  request: PlannedRequest,
  { lifetime, details, settings, input, batch }: CallState,
): Promise<PaidResult> {
  const { value, error, isPayer } = await inFlight.join({
    signal: lifetime.signal,
    finishes: settings.whenAborted === 'finish',
    startDeadline(onExpire) {
      const expire = () => onExpire(inFlight.progress.isAwaitingState ? STATE_DEADLINE_EXCEEDED : DEADLINE_EXCEEDED)
      batch?.onStall(expire)
      return lifetime.startDeadline(expire)
    },
  })
  if (value !== undefined) batch?.recordAnswer()
  const totals = { ...inFlight.totals }
  const paid = isPayer ? totals : { ...createTotals(), attempts: totals.attempts }
  const isShared = !isPayer
  input.onAnswer?.(request.path, value === undefined ? { error } : value)
  if (value === undefined) return { error: toCallError(error, details, totals, isShared), paid, isShared }
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
