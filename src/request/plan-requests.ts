import type { CostEstimate } from '../credits/cost.ts'
import { costOfRequest, splitCall } from '../credits/estimate.ts'
import { CHAIN_ID, operations } from '../generated/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { isArray } from '../operations/type-guards.ts'
import type { ValidatedParams } from '../operations/validate-params.ts'
import type { PlannedRequest } from './types.ts'

/** The requests that a call takes: one, or one for each chunk of a batch. */
export function planRequests(params: ValidatedParams): PlannedRequest[] {
  // `push` makes arrays of one kind. Those of `map` change their kind once it is compiled, and what reads them is compiled again.
  const requests: PlannedRequest[] = []
  for (const request of splitCall(params)) requests.push(planRequest(request, costOfRequest(request)))
  return requests
}

function planRequest(request: ValidatedParams, cost: CostEstimate): PlannedRequest {
  const { operation, values } = request
  const { credits, heavy, keyless, bareField }: Operation = operations[operation]
  return {
    operation,
    path: buildPath(request),
    cost,
    price: credits,
    isHeavy: heavy === true,
    isKeyless: keyless === true,
    bareField,
    addresses: isArray(values.addresses) ? values.addresses : [],
  }
}

/** Path and query below the base URL, such as `tokens/52014/0x…?limit=5`. */
export function buildPath({ operation, values }: ValidatedParams): string {
  const { path, params }: Operation = operations[operation]
  let filled = path.slice(1).replace('{chainId}', String(CHAIN_ID))
  let query = ''
  for (const { name, query: inQuery } of params) {
    const value = values[name]
    if (!inQuery) filled = filled.replace(`{${name}}`, encodeSegment(String(value)))
    // Addresses need no encoding.
    else if (isArray(value)) query += `&${name}=${value}`
    else if (value !== undefined) query += `&${name}=${encodeURIComponent(String(value))}`
  }
  return filled + query.replace('&', '?')
}

/** Encodes a value as one path segment, and refuses one that walks up. */
function encodeSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') throw new TypeError('Not a path segment.')
  return encodeURIComponent(value)
}
