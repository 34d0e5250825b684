import { type OperationId, operations } from '../generated/operations.ts'
import type { CreditCost } from '../operations/operation.ts'
import { isArray, isObject } from '../operations/type-guards.ts'

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

/** The cost in credits of one request that returns `items` items. */
export function costOf(cost: CreditCost | null, items: number): number {
  return cost === null ? 0 : cost.base + (cost.perItem ?? 0) * items
}

/** The cost of one request: exact for a flat price or when the charged items are those asked for, else a range. */
export function requestCost(
  operation: OperationId,
  asked: { limit?: number | undefined; addresses?: number | undefined },
): CostEstimate {
  const cost: CreditCost | null = operations[operation].credits
  if (cost?.items?.startsWith('query.')) {
    const exact = costOf(cost, asked.addresses ?? 0)
    return { min: exact, max: exact, requests: 1 }
  }
  return { min: costOf(cost, 0), max: costOf(cost, asked.limit ?? cost?.maxItems ?? 0), requests: 1 }
}

/** The cost of several requests together. */
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
