import type { ApiPromise } from '../client/api-promise.ts'
import type { CallOptions } from '../client/options.ts'
import type { Sweep, SweepOptions, SweepResult } from '../client/sweep-types.ts'
import { raceWithAbort } from '../concurrency/cancellation.ts'
import { openBudget } from '../credits/budget.ts'
import { requireCredits } from '../credits/budget-core.ts'
import { sumCosts } from '../credits/cost.ts'
import { checkStore, InvalidRequestError, invalidOption, rejectUnknown, requireInteger } from '../errors/input.ts'
import { type OperationId, operations } from '../generated/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { isArray } from '../operations/type-guards.ts'
import type { CallContext } from '../request/call.ts'
import { type CallInput, operationInput } from '../request/plan-requests.ts'
import { CALL_OPTIONS, callSettings } from '../request/settings.ts'
import type { AddressReader } from '../utils/address.ts'
import { type SweepCall, SweepRun } from './run-sweep.ts'
import { SWEEP_KEY } from './sweep-budget.ts'

export interface SweepContext extends Pick<CallContext, 'clock' | 'settings' | 'lifetimes' | 'baseUrl' | 'redact'> {
  readonly addressReader: AddressReader
  run(input: CallInput): ApiPromise<unknown>
}

const HEAVY_CONCURRENCY = 2
const LIGHT_CONCURRENCY = 4

/** `client.group.action.many()`. @throws InvalidRequestError naming the position of parameters that the call would refuse, or the option */
export function createSweep(
  operation: OperationId,
  list: unknown,
  options: SweepOptions | undefined,
  context: SweepContext,
): Sweep<unknown, unknown> {
  if (!isArray(list)) throw invalidOption('params', list, 'a list with the parameters of each call')
  const settings = readOptions(operation, options ?? {}, context)
  const pending = planCalls(operation, list, settings.callOptions, context)

  async function* iterate(): AsyncGenerator<SweepResult<unknown, unknown>, void, undefined> {
    const { maxCredits, signal } = settings
    const store = maxCredits === undefined ? undefined : settings.store
    const unlimited = { credits: Number.POSITIVE_INFINITY, store }
    const { budget, close } = openBudget(unlimited, context.clock, { key: SWEEP_KEY })
    try {
      // The sweep and the client may end meanwhile.
      const lifetime = context.lifetimes.open(Number.POSITIVE_INFINITY, signal)
      await raceWithAbort(Promise.resolve(budget.load?.()), lifetime.signal).finally(() => lifetime.end())
      yield* new SweepRun(operation, pending, settings, budget, context).results()
    } catch (error) {
      throw context.redact(error)
    } finally {
      await close().catch(() => {})
    }
  }

  return Object.defineProperty(iterate() as Sweep<unknown, unknown>, 'remaining', {
    get: () => [...pending].flatMap(({ params }) => params),
  })
}

/** The options of a sweep, every default filled in. */
export type SweepSettings = Readonly<ReturnType<typeof readOptions>>

function readOptions(operation: OperationId, options: SweepOptions, { settings }: SweepContext) {
  const own = ['store', 'maxCredits', 'concurrency', 'onProgress']
  rejectUnknown('option', options, ['signal', ...CALL_OPTIONS, ...own])
  const { store, maxCredits, onProgress, ...rest } = options
  const { heavy }: Operation = operations[operation]
  const { concurrency = heavy ? HEAVY_CONCURRENCY : LIGHT_CONCURRENCY, ...callOptions } = rest
  callSettings(callOptions, settings, operation)
  requireInteger('concurrency', concurrency)
  if (maxCredits !== undefined) requireCredits('maxCredits', maxCredits)
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw invalidOption('onProgress', onProgress, 'a function')
  checkStore('store', store)
  const { whenAborted, ...toCall } = callOptions
  /** Whether an abort lets what is sent arrive: then the sweep ends its calls itself. */
  const finishes = whenAborted === 'finish'
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
