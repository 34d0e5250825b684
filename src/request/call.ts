import { orAborted } from '../abort.ts'
import { sumCosts } from '../credits/cost.ts'
import { EtnMarketError } from '../errors/base.ts'
import { TimeoutError } from '../errors/network.ts'
import type { Redactor } from '../errors/redact.ts'
import { costOfRequest, splitCall } from '../estimate.ts'
import type { OperationId } from '../generated/operations.ts'
import type { CallMeta } from '../method.ts'
import type { CallOptions } from '../options.ts'
import { createSlots, type Slots } from '../slots.ts'
import { BATCH, mergeChunks } from './batch.ts'
import type { Cache } from './cache.ts'
import { metaOf } from './meta.ts'
import { checkParams, type ReadAddress } from './params.ts'
import { toPart } from './part.ts'
import { DEADLINE, type Scope, type Scopes } from './scope.ts'
import { type SendContext, send } from './send.ts'
import { type CallSettings, callSettings } from './settings.ts'
import type { Flight, Flights } from './share.ts'
import { createTally } from './tally.ts'
import type { Answer, CheckedParams, Envelope, Part, Tally } from './types.ts'
import { isUnexpected, reportMismatch } from './validate.ts'

export interface CallContext extends SendContext {
  readonly settings: CallSettings
  readonly scopes: Scopes
  readonly flights: Flights<Envelope>
  readonly batchConcurrency: number
  readonly redactor: Redactor
  readonly readAddress: ReadAddress
}

/** What a call came to; few ever ask what it cost. */
export interface CallEnd {
  readonly data: unknown
  readMeta(): CallMeta
}

/** ONE CALL: params -> batch -> cache -> share -> send -> answer. */
export async function call(
  operation: OperationId,
  params: unknown,
  options: CallOptions | undefined,
  context: CallContext,
): Promise<CallEnd> {
  let settings = context.settings
  let scope: Scope | undefined
  try {
    settings = callSettings(options, context.settings)
    const checked = checkParams(operation, params, context.readAddress)
    const parts = splitCall(checked).map((request) => toPart(request, costOfRequest(request)))
    scope = context.scopes.open(settings.deadlineMs, options?.signal)
    const cached = context.cache ? await lookUp(context.cache, parts, scope, settings, context) : []
    const answers = board(parts, cached, scope, settings, context)
    const [first] = answers
    const [data, answered] =
      operation === BATCH || first === undefined ? await gather(answers, checked, parts, scope) : only(await first)
    const remaining = context.account.remaining()
    const durationMs = context.clock.now() - scope.startedAt
    return { data, readMeta: () => metaOf(parts, answered, remaining, durationMs) }
  } catch (error) {
    if (error === DEADLINE) throw deadlineError(operation, settings, createTally())
    throw error instanceof EtnMarketError ? context.redactor.error(error) : error
  } finally {
    scope?.end()
  }
}

async function lookUp(
  cache: Cache,
  parts: readonly Part[],
  scope: Scope,
  settings: CallSettings,
  { emit }: CallContext,
) {
  const cached = await Promise.all(parts.map((part) => cache.lookUp(part, scope.signal)))
  for (const [index, part] of parts.entries()) {
    const envelope = cached[index]
    if (envelope === undefined || !isUnexpected(part.operation, envelope, settings.validate)) continue
    // Who is strict asks anew, rather than to be refused for as long as the answer is kept.
    if (settings.validate === 'strict') {
      cached[index] = undefined
      continue
    }
    await orAborted(reportMismatch(part.operation, envelope, settings.validate, emit, {}), scope.signal)
  }
  return cached
}

/**
 * Gives each part its answer to come: the cached one, the one already under way, or a request of its own.
 * Nothing here waits, so that a call whose requests do not all fit the budget sends none of them.
 */
function board(
  parts: readonly Part[],
  cached: readonly (Envelope | undefined)[],
  scope: Scope,
  settings: CallSettings,
  context: CallContext,
): Promise<Answer>[] {
  scope.signal.throwIfAborted()
  const { flights, budget } = context
  const seats = parts.map((part, index) => {
    return { part, hash: `${part.hash}|${settings.fingerprint}`, envelope: cached[index] }
  })
  let slots: Slots | undefined
  if (parts.length > 1) {
    slots = createSlots(context.batchConcurrency)
    // Before anybody boards: a seat taken beside one that is refused would wait for an answer that nobody wants.
    const toSend = seats.filter(
      ({ part, hash, envelope }) => envelope === undefined && flights.find(hash, part) === undefined,
    )
    const worstCase = sumCosts(toSend.map(({ part }) => part.cost)).max
    budget.reserve(worstCase, { operation: parts[0]?.operation }).release()
  }
  return seats.map(({ part, hash, envelope }) => {
    if (envelope !== undefined) return Promise.resolve<Answer>({ envelope, tally: createTally(), from: 'cache' })
    const flight = flights.find(hash, part) ?? flights.start(hash, part, takeOff(part, settings, slots, context))
    return take(flight, part, scope, settings)
  })
}

/** Sets aside what the part may cost, now, and makes what sends it. */
function takeOff(part: Part, settings: CallSettings, slots: Slots | undefined, context: CallContext) {
  const reservation = context.budget.reserve(part.cost.max, { operation: part.operation })
  return (flight: Flight<Envelope>): Promise<Envelope> => {
    const { signal, tally } = flight
    const deadlineAt = () => flight.deadlineAt()
    return send({ part, settings, signal, tally, deadlineAt, slots, reservation }, context)
  }
}

function take(flight: Flight<Envelope>, part: Part, scope: Scope, settings: CallSettings): Promise<Answer> {
  const { tally } = flight
  return flight.join(scope.signal, scope.deadlineAt).then(
    // Each caller may change what it gets, so those who share get a copy.
    ({ value, pays }) =>
      pays ? { envelope: value, tally, from: 'service' } : { envelope: structuredClone(value), tally, from: 'shared' },
    (error) => {
      throw error === DEADLINE ? deadlineError(part.operation, settings, tally) : error
    },
  )
}

const only = (answer: Answer): [unknown, Answer[]] => [answer.envelope.data, [answer]]

/** Waits for all chunks: what has been paid for is not lost because another one failed. */
async function gather(
  answers: readonly Promise<Answer>[],
  checked: CheckedParams,
  parts: readonly Part[],
  { signal }: Scope,
): Promise<[unknown, Answer[]]> {
  const ends = await Promise.allSettled(answers)
  if (signal.aborted && signal.reason !== DEADLINE) throw signal.reason
  const prices = mergeChunks(checked, parts, ends)
  return [prices, ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))]
}

function deadlineError(operation: OperationId, { deadlineMs }: CallSettings, tally: Tally): TimeoutError {
  const message = `${operation}: the call was not over within ${deadlineMs} ms, after ${tally.attempts} attempts. Try again, or allow a longer deadlineMs.`
  return new TimeoutError(message, { code: 'deadline_exceeded', operation, ...tally })
}
