import type { ApiPromise } from '../api-promise.ts'
import { raceWithAbort } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
import { sumCosts } from '../credits/cost.ts'
import { checkStore, InvalidRequestError, invalidOption, rejectUnknown } from '../errors/input.ts'
import { answerGuards } from '../generated/guards.ts'
import { type OperationId, operations } from '../generated/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import type { CallOptions } from '../options.ts'
import type { CallLifetime } from '../request/call-lifetime.ts'
import { type CallInput, operationInput } from '../request/plan-requests.ts'
import { CALL_OPTIONS, type CallSettings, callSettings } from '../request/settings.ts'
import type { Sweep, SweepOptions, SweepResult } from '../sweep-types.ts'
import type { AddressReader } from '../utils/address.ts'
import { type SweepCall, SweepRun } from './run-sweep.ts'
import { SweepBudget } from './sweep-budget.ts'

/** The parts of a client that a sweep uses. */
export interface SweepContext {
  readonly clock: Clock
  readonly settings: CallSettings
  readonly addressReader: AddressReader
  baseUrl(): string
  /** Takes keys out of an error. */
  redact<T>(error: T): T
  run(input: CallInput): ApiPromise<unknown>
  /** Begins something that ends with the signal, or with the client. */
  open(signal: AbortSignal | undefined): CallLifetime
}

const HEAVY_CONCURRENCY = 2
const LIGHT_CONCURRENCY = 4

/**
 * `client.group.action.many()`: checks everything now, and makes the calls while the result is iterated.
 * @throws InvalidRequestError naming the position of parameters that the call would refuse, or the option
 */
export function createSweep(
  operation: OperationId,
  list: unknown,
  options: SweepOptions | undefined,
  context: SweepContext,
): Sweep<unknown, unknown> {
  if (!isArray(list)) throw invalidOption('params', list, 'a list with the parameters of each call')
  const { callOptions, maxCredits, ...settings } = readOptions(operation, options ?? {}, context)
  const pending = planCalls(operation, list, callOptions, context)
  const total = list.length
  const generator = iterate()

  async function* iterate(): AsyncGenerator<SweepResult<unknown, unknown>, void, undefined> {
    const budget = new SweepBudget(maxCredits === undefined ? undefined : settings.store, context.clock)
    try {
      await loadBudget(budget)
      const run = new SweepRun(pending, {
        ...settings,
        operation,
        total,
        clock: context.clock,
        limit: budget.limit(maxCredits ?? Number.POSITIVE_INFINITY),
        matches: (data) => answerGuards[operation](toAnswer(operation, data)),
        keyPrefix: `etn-market:sweep:1:${context.baseUrl()}`,
        open: context.open,
        call: ({ input }, extras) => context.run({ ...input, ...extras, options: callOptions }),
      })
      yield* run.results()
    } catch (error) {
      throw context.redact(error)
    } finally {
      await budget.close()
    }
  }

  /** The sweep and the client may end meanwhile. */
  async function loadBudget(budget: SweepBudget): Promise<void> {
    const lifetime = context.open(settings.signal)
    try {
      await raceWithAbort(budget.load(), lifetime.signal)
    } finally {
      lifetime.end()
    }
  }

  return Object.defineProperty(generator as Sweep<unknown, unknown>, 'remaining', {
    get: () => [...pending].flatMap(({ params }) => params),
  })
}

function readOptions(operation: OperationId, options: SweepOptions, { settings }: SweepContext) {
  const own = ['store', 'maxCredits', 'concurrency', 'onProgress']
  rejectUnknown('option', options, ['signal', ...CALL_OPTIONS, ...own])
  const { store, maxCredits, onProgress, ...rest } = options
  const { heavy }: Operation = operations[operation]
  const { concurrency = heavy ? HEAVY_CONCURRENCY : LIGHT_CONCURRENCY, ...callOptions } = rest
  callSettings(callOptions, settings, operation)
  if (!(Number.isSafeInteger(concurrency) && concurrency > 0))
    throw invalidOption('concurrency', concurrency, 'a whole number above 0')
  if (maxCredits !== undefined && !(Number.isSafeInteger(maxCredits) && maxCredits >= 0))
    throw invalidOption('maxCredits', maxCredits, 'a whole number of credits, 0 or more')
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw invalidOption('onProgress', onProgress, 'a function')
  checkStore('store', store)
  const { whenAborted, ...toCall } = callOptions
  const finishes = whenAborted === 'finish'
  // Where the sweep finishes what is sent, it ends its calls itself.
  const { signal } = callOptions
  if (finishes) delete toCall.signal
  return { store, onProgress, concurrency, callOptions: toCall, signal, finishes, maxCredits }
}

/** One call for equal parameters. */
function planCalls(
  operation: OperationId,
  list: readonly unknown[],
  options: CallOptions,
  { addressReader }: SweepContext,
): Set<SweepCall> {
  const calls = new Map<string, SweepCall & { params: unknown[] }>()
  for (const [index, params] of list.entries()) {
    const input = operationInput(operation, params, options, addressReader)
    const { requests } = nameErrors(index, () => input.plan())
    const key = requests.map(({ path }) => path).join(' ')
    const known = calls.get(key)
    if (known) known.params.push(params)
    else calls.set(key, { key, input, params: [params], maxCredits: sumCosts(requests).max })
  }
  return new Set(calls.values())
}

function nameErrors<T>(index: number, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof InvalidRequestError)) throw cause
    const { code, operation } = cause
    const issues = cause.issues?.map(({ path, message }) => ({ path: `[${index}].${path}`, message }))
    throw new InvalidRequestError(`params[${index}]: ${cause.message}`, { code, operation, issues, cause })
  }
}

/** The answer of the service that data is from: a list has a cursor beside it, and a batch leaves tokens without a price out. */
function toAnswer(operation: OperationId, data: unknown): { data: unknown; cursor: null } {
  const isBatch = operation === 'prices.batch' && isObject(data)
  const priced = isBatch ? Object.fromEntries(Object.entries(data).filter(([, price]) => price !== null)) : data
  return { data: priced, cursor: null }
}
