import type { CallExtras } from '../client-internals.ts'
import type { CallName } from '../errors/base.ts'
import { invalidOption } from '../errors/input.ts'
import type { OperationId } from '../generated/operations.ts'
import { validateParams } from '../operations/validate-params.ts'
import type { BatchOptions, CallOptions, RequestOptions } from '../options.ts'
import type { AddressReader } from '../utils/address.ts'
import { BATCH, mergeBatch, requireWhole } from './merge-batch.ts'
import { planPath, planRequests } from './plan-requests.ts'
import type { ChunkResult, PlannedRequest } from './types.ts'

/** What a call asks for, and how its data is made of the answers. */
export interface CallPlan {
  readonly requests: readonly PlannedRequest[]
  merge(results: readonly ChunkResult[]): unknown
}

export interface CallInput extends CallExtras {
  readonly operation: CallName
  readonly params: unknown
  readonly options: CallOptions | undefined
  /** Names of options that this operation takes beside those of every call. */
  readonly ownOptions: readonly string[]
  /** Validates the parameters and plans the requests. */
  plan(): CallPlan
}

/** A call of an operation of the contract. */
export function operationInput(
  operation: OperationId,
  params: unknown,
  options: CallOptions | undefined,
  addressReader: AddressReader,
): CallInput {
  const plan = (): CallPlan => {
    const validated = validateParams(operation, params, addressReader)
    const requests = planRequests(validated)
    if (operation !== BATCH) return { requests, merge: onlyData }
    const { partial = 'throw' } = (options ?? {}) as BatchOptions
    if (partial !== 'throw' && partial !== 'return') throw invalidOption('partial', partial, "'throw' or 'return'")
    return {
      requests,
      merge(results) {
        const merged = mergeBatch(validated, requests, results)
        return partial === 'return' ? merged : requireWhole(merged, requests.length)
      },
    }
  }
  const ownOptions = operation === BATCH ? ['partial'] : []
  // Own properties, so that a call of the client reads none from a prototype that somebody has changed.
  return { budget: undefined, stop: undefined, onAnswer: undefined, operation, params, options, ownOptions, plan }
}

/** A call of `client.request()`. */
export function pathInput(path: string, options: RequestOptions): CallInput {
  const { query, maxCredits } = options ?? {}
  return {
    budget: undefined,
    stop: undefined,
    onAnswer: undefined,
    operation: 'request',
    params: { path, query },
    options,
    ownOptions: ['query', 'maxCredits'],
    plan: () => ({ requests: [planPath(path, query, maxCredits)], merge: onlyData }),
  }
}

/** The data of a call that takes one request. */
function onlyData([result]: readonly ChunkResult[]): unknown {
  if (result?.answer === undefined) throw result?.error
  return result.answer.envelope.data
}
