import type { OperationId } from '../generated/operations.ts'
import type { OperationParams } from '../generated/types.ts'
import { isArray } from '../operations/type-guards.ts'
import { type ValidatedParams, validateParams } from '../operations/validate-params.ts'
import type { AddressReader } from '../utils/address.ts'
import { MAX_ITEMS } from './batch-cost.ts'
import { type CostEstimate, requestCost, sumCosts } from './cost.ts'

/** Operations whose parameters can all be left out. */
export type NoParamsNeeded = {
  [Id in OperationId]: Record<never, never> extends OperationParams[Id] ? Id : never
}[OperationId]

/**
 * The cost of a call in credits, without a client and without a request: `{ min, max, requests }`.
 * `min` equals `max` where the price is flat or depends on the addresses; otherwise `max` is the cost of a full page.
 * Costs are those of the service's published table. Retries of attempts whose answer was lost are not included.
 * @throws InvalidRequestError, or InvalidLimitError, as the call would.
 * @example estimateCost('token.list', { limit: 20 }) // { min: 100, max: 200, requests: 1 }
 */
export function estimateCost<Id extends NoParamsNeeded>(operation: Id, params?: OperationParams[Id]): CostEstimate
export function estimateCost<Id extends OperationId>(operation: Id, params: OperationParams[Id]): CostEstimate
export function estimateCost(operation: OperationId, params?: unknown): CostEstimate {
  return estimate(operation, params)
}

export function estimate(operation: OperationId, params: unknown, addressReader?: AddressReader): CostEstimate {
  return costOfCall(validateParams(operation, params, addressReader))
}

/** The cost of all requests of a call. */
export function costOfCall(params: ValidatedParams): CostEstimate {
  return sumCosts(splitCall(params).map((request) => ({ cost: costOfRequest(request) })))
}

/** The requests of a call: itself, or one for each chunk of a batch. */
export function splitCall(params: ValidatedParams): ValidatedParams[] {
  const { addresses } = params.values
  if (!isArray(addresses)) return [params]
  return chunkAddresses(addresses).map((chunk) => ({ ...params, values: { ...params.values, addresses: chunk } }))
}

/** The unique addresses in chunks that one request takes; each is sorted, so that equal chunks are equal requests. */
function chunkAddresses(addresses: readonly string[]): string[][] {
  const unique = [...new Set(addresses)]
  const chunks: string[][] = []
  for (let start = 0; start < unique.length; start += MAX_ITEMS) {
    chunks.push(unique.slice(start, start + MAX_ITEMS).sort())
  }
  return chunks
}

export function costOfRequest({ operation, values: { limit, addresses } }: ValidatedParams): CostEstimate {
  return requestCost(operation, {
    limit: typeof limit === 'number' ? limit : undefined,
    addresses: isArray(addresses) ? addresses.length : undefined,
  })
}
