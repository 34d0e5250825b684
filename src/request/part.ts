import type { Address } from '../address.ts'
import type { CostEstimate } from '../credits/cost.ts'
import { CHAIN_ID, operations } from '../generated/operations.ts'
import { isArray } from '../guard.ts'
import type { Operation } from '../operation.ts'
import type { CheckedParams, Part } from './types.ts'

/** What is sent for one request. Batches of the same addresses ask the same thing, whatever their order. */
export function toPart(request: CheckedParams, cost: CostEstimate): Part {
  const { operation, values } = request
  const path = buildPath(request)
  const addresses = isArray(values.addresses) ? values.addresses : []
  const isBatch = addresses.length > 0
  const hash = isBatch ? String(sumOf(addresses)) : path
  const key = () => (isBatch ? `${operation}:${spellings(addresses).sort()}` : path)
  return { operation, path, cost, addresses, hash, key }
}

/** The same in any order. */
function sumOf(addresses: readonly Address[]): number {
  let sum = 0
  for (const { digest } of addresses) sum += digest
  return sum
}

const spellings = (addresses: readonly Address[]) => addresses.map(({ spelled }) => spelled)

/** Path and query below the base URL, such as `tokens/52014/0x…?limit=5`. */
export function buildPath({ operation, values }: CheckedParams): string {
  const { path, params }: Operation = operations[operation]
  let filled = path.slice(1).replace('{chainId}', String(CHAIN_ID))
  let query = ''
  for (const { name, query: inQuery } of params) {
    const value = values[name]
    if (!inQuery) filled = filled.replace(`{${name}}`, encodeSegment(String(value)))
    // A list is one of addresses, in which nothing needs encoding, and many of them take their time.
    else if (isArray(value)) query += `&${name}=${spellings(value)}`
    else if (value !== undefined) query += `&${name}=${encodeURIComponent(String(value))}`
  }
  return filled + query.replace('&', '?')
}

/** A value never becomes more than one segment, and never one that walks up. */
function encodeSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') throw new TypeError('Not a path segment.')
  return encodeURIComponent(value)
}
