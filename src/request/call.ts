import { orAborted } from '../abort.ts'
import { sumCosts } from '../credits/cost.ts'
import { EtnMarketError } from '../errors/base.ts'
import { TimeoutError } from '../errors/network.ts'
import type { Redactor } from '../errors/redact.ts'
import { costOfRequest, splitCall } from '../estimate.ts'
import type { OperationId } from '../generated/operations.ts'
import type { WithMeta } from '../method.ts'
import type { CallOptions } from '../options.ts'
import { createSlots, type FreeSlot, type Slots } from '../slots.ts'
import { BATCH, mergeChunks, pairSpellings } from './batch.ts'
import type { Cache } from './cache.ts'
import { metaOf } from './meta.ts'
import { checkParams } from './params.ts'
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
  readonly cache: Cache | undefined
  readonly batchConcurrency: number
  readonly redactor: Redactor
  checksum(address: string): string
}

/** ONE CALL: params -> batch -> cache -> share -> send -> answer. */
export async function call(
  operation: OperationId,
  params: unknown,
  options: CallOptions | undefined,
  context: CallContext,
): Promise<WithMeta<unknown>> {
  let settings = context.settings
  let scope: Scope | undefined
  try {
    settings = callSettings(options, context.settings)
    const checked = checkParams(operation, params, context.checksum)
    const parts = splitCall(checked).map((request) => toPart(request, costOfRequest(request)))
    scope = context.scopes.open(settings.deadlineMs, options?.signal)
    const cached = context.cache ? await lookUp(context.cache, parts, scope, settings, context) : []
    const answers = board(parts, cached, scope, settings, context)
    const [data, answered] =
      operation === BATCH ? await gather(answers, params, checked, parts, scope) : await only(answers)
    const { account, clock } = context
    return { data, meta: metaOf(parts, answered, account.remaining(), clock.now() - scope.startedAt) }
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
    const key = `${part.key}|${settings.fingerprint}`
    return { part, key, envelope: cached[index], flight: flights.find(key) }
  })
  const toSend = seats.filter(({ envelope, flight }) => envelope === undefined && flight === undefined)
  // Before anybody boards: a seat taken beside one that is refused would wait for an answer that nobody wants.
  if (parts.length > 1) {
    const worstCase = sumCosts(toSend.map(({ part }) => part.cost)).max
    budget.reserve(worstCase, { operation: parts[0]?.operation }).release()
  }
  const slots = parts.length > 1 ? createSlots(context.batchConcurrency) : undefined
  return seats.map(({ part, key, envelope, flight }) => {
    if (envelope !== undefined) return Promise.resolve<Answer>({ envelope, tally: createTally(), from: 'cache' })
    return take(flight ?? flights.start(key, takeOff(part, settings, slots, context)), part, scope, settings)
  })
}

/** Sets aside what the part may cost, now, and makes what sends it when its turn in the batch has come. */
function takeOff(part: Part, settings: CallSettings, slots: Slots | undefined, context: CallContext) {
  const reservation = context.budget.reserve(part.cost.max, { operation: part.operation })
  return async ({ signal, tally, deadlineAt }: Flight<Envelope>): Promise<Envelope> => {
    let free: FreeSlot | undefined
    try {
      if (slots !== undefined) free = await slots.take(signal)
      const envelope = await send({ part, settings, signal, tally, deadlineAt, reservation }, context)
      context.cache?.keep(part, envelope)
      return envelope
    } finally {
      reservation.release()
      free?.()
    }
  }
}

async function take(flight: Flight<Envelope>, part: Part, scope: Scope, settings: CallSettings): Promise<Answer> {
  try {
    const { value, pays } = await flight.join(scope.signal, scope.deadlineAt)
    // Each caller may change what it gets, so those who share get a copy.
    return pays
      ? { envelope: value, tally: flight.tally, from: 'service' }
      : { envelope: structuredClone(value), tally: flight.tally, from: 'shared' }
  } catch (error) {
    throw error === DEADLINE ? deadlineError(part.operation, settings, flight.tally) : error
  }
}

async function only(answers: readonly Promise<Answer>[]): Promise<[unknown, Answer[]]> {
  const [first] = answers
  const answer = await first
  return answer === undefined ? [undefined, []] : [answer.envelope.data, [answer]]
}

/** Waits for all chunks: what has been paid for is not lost because another one failed. */
async function gather(
  answers: readonly Promise<Answer>[],
  params: unknown,
  checked: CheckedParams,
  parts: readonly Part[],
  { signal }: Scope,
): Promise<[unknown, Answer[]]> {
  const ends = await Promise.allSettled(answers)
  if (signal.aborted && signal.reason !== DEADLINE) throw signal.reason
  const prices = mergeChunks(pairSpellings(params, checked), parts, ends)
  return [prices, ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))]
}

function deadlineError(
  operation: OperationId,
  { deadlineMs }: CallSettings,
  { attempts, credits, charge }: Tally,
): TimeoutError {
  const message = `${operation}: the call was not over within ${deadlineMs} ms, after ${attempts} attempts. Try again, or allow a longer deadlineMs.`
  return new TimeoutError(message, { code: 'deadline_exceeded', operation, attempts, credits, charge })
}
