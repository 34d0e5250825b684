import { checksumAddress } from './address.ts'
import { type CostEstimate, requestCost, sumCosts } from './credits/cost.ts'
import type { OperationId } from './generated/operations.ts'
import type { OperationParams } from './generated/types.ts'
import { chunkAddresses } from './request/batch.ts'
import { buildPath, checkParams } from './request/params.ts'
import type { CheckedParams, Part } from './request/types.ts'

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

/** The requests that a call takes: one, or one for each chunk of a batch. */
export function splitCall(checked: CheckedParams): Part[] {
  const { operation, values } = checked
  if (values.addresses === undefined) {
    const path = buildPath(checked)
    return [{ operation, path, key: path, cost: costOfRequest(operation, values.limit), addresses: [] }]
  }
  return chunkAddresses(values.addresses as readonly string[]).map((addresses) => {
    const path = buildPath({ operation, values: { ...values, addresses } })
    const cost = requestCost(operation, { addresses: addresses.length })
    return { operation, path, key: `${operation}:${[...addresses].sort()}`, cost, addresses }
  })
}

function costOfRequest(operation: OperationId, limit: unknown): CostEstimate {
  return requestCost(operation, typeof limit === 'number' ? { limit } : {})
}
