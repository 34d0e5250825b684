import type { SpendingLimit } from '../credits/joint-budget.ts'
import type { CallName } from '../errors/base.ts'
import { invalidOption } from '../errors/input.ts'
import type { OperationId } from '../generated/operations.ts'
import { validateParams } from '../operations/validate-params.ts'
import type { BatchOptions, CallOptions, RequestOptions } from '../options.ts'
import type { AddressReader } from '../utils/address.ts'
import { BATCH, mergeBatch, requireWhole } from './merge-batch.ts'
import { planPath } from './plan-path.ts'
import { planRequests } from './plan-requests.ts'
import type { ChunkResult, PlannedRequest } from './types.ts'

/** What a call asks for, and how its data is made of the answers. */
export interface CallPlan {
  readonly requests: readonly PlannedRequest[]
  merge(results: readonly ChunkResult[]): unknown
}

export interface CallInput {
  readonly operation: CallName
  readonly params: unknown
  readonly options: CallOptions | undefined
  /** Names of options that this operation takes beside those of every call. */
  readonly ownOptions: readonly string[]
  /** A limit of this call beside the client's budget. */
  readonly budget?: SpendingLimit | undefined
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
  // `budget` is an own property, so that none is read from a prototype.
  return { operation, params, options, ownOptions: operation === BATCH ? ['partial'] : [], budget: undefined, plan }
}

/** A call of `client.request()`. */
export function pathInput(path: string, options: RequestOptions): CallInput {
  const { query, maxCredits } = options ?? {}
  return {
    operation: 'request',
    params: { path, query },
    options,
    ownOptions: ['query', 'maxCredits'],
    budget: undefined,
    plan: () => ({ requests: [planPath(path, query, maxCredits)], merge: onlyData }),
  }
}

/** The data of a call that takes one request. */
function onlyData([result]: readonly ChunkResult[]): unknown {
  if (result?.answer === undefined) throw result?.error
  return result.answer.envelope.data
}
