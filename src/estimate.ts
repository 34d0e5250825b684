import { type CostEstimate, requestCost, sumCosts } from './credits/cost.ts'
import type { OperationId } from './generated/operations.ts'
import type { OperationParams } from './generated/types.ts'
import { isArray } from './guard.ts'
import { chunkAddresses } from './request/batch.ts'
import { checkParams, type ReadAddress } from './request/params.ts'
import type { CheckedParams } from './request/types.ts'

/** Operations whose parameters can all be left out. */
type NoParamsNeeded = {
  [Id in OperationId]: Record<never, never> extends OperationParams[Id] ? Id : never
}[OperationId]

/**
 * What a call would cost in credits, without a client and without sending anything: `{ min, max, requests }`.
 * Exact (min equals max) where the price is flat or for each address; otherwise `max` is the worst case of a full page.
 * Costs are those of the service's published table; repeating an attempt whose answer got lost comes on top.
 * @throws InvalidRequestError, or InvalidLimitError, just as the call would.
 * @example estimateCost('token.list', { limit: 20 }) // { min: 100, max: 200, requests: 1 }
 */
export function estimateCost<Id extends NoParamsNeeded>(operation: Id, params?: OperationParams[Id]): CostEstimate
export function estimateCost<Id extends OperationId>(operation: Id, params: OperationParams[Id]): CostEstimate
export function estimateCost(operation: OperationId, params?: unknown): CostEstimate {
  return estimate(operation, params)
}

export function estimate(operation: OperationId, params: unknown, read?: ReadAddress): CostEstimate {
  return sumCosts(splitCall(checkParams(operation, params, read)).map(costOfRequest))
}

/** The requests that a call takes: itself, or one for each chunk of a batch. */
export function splitCall(checked: CheckedParams): CheckedParams[] {
  const { values } = checked
  if (!isArray(values.addresses)) return [checked]
  return chunkAddresses(values.addresses).map((addresses) => ({ ...checked, values: { ...values, addresses } }))
}

export function costOfRequest({ operation, values: { limit, addresses } }: CheckedParams): CostEstimate {
  return requestCost(operation, {
    limit: typeof limit === 'number' ? limit : undefined,
    addresses: isArray(addresses) ? addresses.length : undefined,
  })
}
