import { type OperationId, operations } from '../generated/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { isObject } from '../operations/type-guards.ts'

/** The data of a call as the service sends it. */
export function toBody(operation: OperationId, data: unknown): string {
  const { bareField }: Operation = operations[operation]
  if (bareField !== undefined) return JSON.stringify(data)
  return JSON.stringify({ data: operation === 'prices.batch' ? toBatch(data) : data, cursor: null })
}

/** The client completes prices with their addresses, and tokens without a price with null; the service sends neither. */
function toBatch(data: unknown): unknown {
  if (!isObject(data)) return data
  const prices: [string, unknown][] = []
  for (const [key, price] of Object.entries(data)) {
    if (!isObject(price)) continue
    const { address, ...fields } = price
    prices.push([key, fields])
  }
  return Object.fromEntries(prices)
}
