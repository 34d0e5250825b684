import { checksumAddress } from './address.ts'
import { type CostEstimate, sumCosts } from './credits/cost.ts'
import type { OperationId } from './generated/operations.ts'
import type { OperationParams } from './generated/types.ts'
import { checkParams } from './request/params.ts'
import { splitCall } from './request/parts.ts'

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
  return estimate(operation, params, checksumAddress)
}

export function estimate(operation: OperationId, params: unknown, checksum: (address: string) => string): CostEstimate {
  return sumCosts(splitCall(checkParams(operation, params, checksum)).map((part) => part.cost))
}
