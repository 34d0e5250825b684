import { type OperationId, operations } from '../generated/operations.ts'
import type { OperationParams } from '../generated/types.ts'
import type { CreditCost } from '../operations/operation.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import { type ValidatedParams, validateParams } from '../operations/validate-params.ts'
import type { AddressReader } from '../utils/address.ts'
import { MAX_ITEMS } from './cheapest-requests.ts'

/** What a call will cost, in credits. Retries of attempts whose answer got lost come on top. */
export interface CostEstimate {
  /** Charged when nothing is returned. */
  readonly min: number
  /** Worst case: charged when every item asked for is returned. This is what a budget reserves. */
  readonly max: number
  /** Requests that it takes. */
  readonly requests: number
}

/** 1,000,000 credits are one US dollar. */
const CREDITS_PER_USD = 1_000_000

/**
 * Credits in US dollars.
 * @example creditsToUsd(10_000) // 0.01
 */
export function creditsToUsd(credits: number): number {
  return credits / CREDITS_PER_USD
}

export function costOf(cost: CreditCost | null, items: number): number {
  return cost === null ? 0 : cost.base + (cost.perItem ?? 0) * items
}

export function sumCosts(priced: readonly { readonly cost: CostEstimate }[]): CostEstimate {
  const sum = { min: 0, max: 0, requests: 0 }
  for (const { cost } of priced) {
    sum.min += cost.min
    sum.max += cost.max
    sum.requests += cost.requests
  }
  return sum
}

/** How many items of an answer are charged, or undefined when the answer does not tell. `asked` are the addresses sent. */
export function countItems(operation: OperationId, data: unknown, asked: number): number | undefined {
  const cost: CreditCost | null = operations[operation].credits
  if (!cost?.items) return 0
  if (cost.items.startsWith('query.')) return asked
  const [, ...path] = cost.items.split('.')
  const items = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), data)
  if (path.length === 0) return isArray(items) ? items.length : undefined
  return isObject(items) ? Object.keys(items).length : undefined
}

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

export function costOfCall(params: ValidatedParams): CostEstimate {
  return sumCosts(splitCall(params))
}

export interface PricedRequest {
  readonly params: ValidatedParams
  /** Exact for a flat price or where the charged items are those asked for, else a range. */
  readonly cost: CostEstimate
}

/** The requests of a call: itself, or one for each chunk of unique addresses. They are sorted first, so that equal sets are equal requests. */
export function splitCall(params: ValidatedParams): PricedRequest[] {
  const price: CreditCost | null = operations[params.operation].credits
  const { addresses, limit } = params.values
  if (!isArray(addresses)) {
    const mostItems = typeof limit === 'number' ? limit : (price?.maxItems ?? 0)
    return [{ params, cost: { min: costOf(price, 0), max: costOf(price, mostItems), requests: 1 } }]
  }
  const unique = [...new Set(addresses as readonly string[])].sort()
  const requests: PricedRequest[] = []
  for (let start = 0; start < unique.length; start += MAX_ITEMS) {
    const chunk = unique.slice(start, start + MAX_ITEMS)
    const exact = costOf(price, chunk.length)
    const values = { ...params.values, addresses: chunk }
    requests.push({ params: { ...params, values }, cost: { min: exact, max: exact, requests: 1 } })
  }
  return requests
}
