import type { ApiPromise } from '../api-promise.ts'
import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import { type BudgetStore, createBudget } from '../credits/budget.ts'
import { sumCosts } from '../credits/cost.ts'
import { type EtnMarketError, isEtnMarketError } from '../errors/base.ts'
import { PartialBatchError } from '../errors/batch.ts'
import { isFinalForKey } from '../errors/final-error.ts'
import { checkStore, InvalidRequestError, invalidOption, rejectUnknown } from '../errors/input.ts'
import { StateUnavailableError } from '../errors/state.ts'
import { answerGuards } from '../generated/guards.ts'
import { type OperationId, operations } from '../generated/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import type { CallOptions } from '../options.ts'
import { type CallInput, operationInput } from '../request/call-input.ts'
import type { CallSettings } from '../request/settings.ts'
import { CALL_OPTIONS, callSettings } from '../request/settings.ts'
import type { Sweep, SweepOptions, SweepResult } from '../sweep-types.ts'
import type { AddressReader } from '../utils/address.ts'
import { SWEEP_LEDGER_KEY } from './ledger-key.ts'
import type { SharedLedger, SweepCall } from './run-sweep.ts'
import { CallLimit, createSweepLimit } from './sweep-limit.ts'

/** The parts of a client that a sweep uses. */
export interface SweepContext {
  readonly clock: Clock
  readonly settings: CallSettings
  readonly addressReader: AddressReader
  baseUrl(): string
  /** Takes keys out of an error. */
  redact<T>(error: T): T
  run(input: CallInput): ApiPromise<unknown>
  /** What the sweeps that run on each store were charged. */
  readonly ledgers: WeakMap<BudgetStore, SharedLedger>
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
  const total = list.length
  const { callOptions, maxCredits, ...settings } = readOptions(operation, options ?? {}, context)
  const pending = planCalls(operation, list, callOptions, context)
  const generator = iterate()

  async function* iterate(): AsyncGenerator<SweepResult<unknown, unknown>, void, undefined> {
    // Loaded when it is needed: most clients make no sweep.
    const { runSweep, openLedger } = await import('./run-sweep.ts')
    const store = maxCredits === undefined ? undefined : settings.store
    const unlimited = { credits: Number.POSITIVE_INFINITY, store, key: SWEEP_LEDGER_KEY }
    const ledger = openLedger(store, context.ledgers, () => createBudget(unlimited, context.clock))
    try {
      yield* runSweep(pending, {
        ...settings,
        limit: createSweepLimit(ledger.budget, maxCredits ?? Number.POSITIVE_INFINITY),
        total,
        matches: (data) => answerGuards[operation](toAnswer(operation, data)),
        isBatch: operation === 'prices.batch',
        storeError: (what, cause) => storeError(operation, what, cause),
        isResult: (error): error is EtnMarketError => isEtnMarketError(error) && error.code !== 'client_closed',
        keyPrefix: `etn-market:sweep:1:${context.baseUrl()}`,
        now: () => monotonicNow(context.clock),
        isFinal: (error) =>
          isFinalForKey(error) || (error instanceof PartialBatchError && error.errors.some(isFinalForKey)),
        createCallLimit: (limit) => new CallLimit(limit),
        nextTurn,
        call: ({ input }, budget, signal) => context.run({ ...input, options: { ...callOptions, signal }, budget }),
      })
    } catch (error) {
      throw context.redact(error)
    } finally {
      await ledger.close()
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
  callSettings(callOptions, settings, [])
  if (!(Number.isSafeInteger(concurrency) && concurrency > 0))
    throw invalidOption('concurrency', concurrency, 'a whole number above 0')
  if (maxCredits !== undefined && !(Number.isSafeInteger(maxCredits) && maxCredits >= 0))
    throw invalidOption('maxCredits', maxCredits, 'a whole number of credits, 0 or more')
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw invalidOption('onProgress', onProgress, 'a function')
  checkStore('store', store)
  const { signal, whenAborted, ...toCall } = callOptions
  return {
    store,
    onProgress,
    concurrency,
    callOptions: toCall,
    signal,
    finishes: whenAborted === 'finish',
    maxCredits,
  }
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

function storeError(operation: OperationId, what: string, cause: unknown): StateUnavailableError {
  const message = `${operation}: the store of the sweep could not be ${what}, so no further call is made: an answer that is not kept would be paid for again.`
  return new StateUnavailableError(message, { operation, cause })
}

/** The answer of the service that data is from: a list has a cursor beside it, and a batch leaves tokens without a price out. */
function toAnswer(operation: OperationId, data: unknown): { data: unknown; cursor: null } {
  const isBatch = operation === 'prices.batch' && isObject(data)
  const priced = isBatch ? Object.fromEntries(Object.entries(data).filter(([, price]) => price !== null)) : data
  return { data: priced, cursor: null }
}
