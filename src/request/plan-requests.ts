import { type CostEstimate, costOfRequest, splitCall } from '../credits/cost.ts'
import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import { CHAIN_ID, operations } from '../generated/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import type { ValidatedParams } from '../operations/validate-params.ts'
import type { RequestQuery } from '../options.ts'
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

/** One segment of a path: what RFC 3986 allows, encoded or not. */
const SEGMENT = /^(?:[\w\-.~!$&'()*+,;=:@]|%[0-9a-f]{2})+$/i

/**
 * The request of `client.request()`: a path below the base URL that the contract does not know.
 * @throws InvalidRequestError for a path that leads elsewhere, or a query or limit that is not accepted
 */
export function planPath(path: unknown, query: RequestQuery | undefined, maxCredits: unknown): PlannedRequest {
  if (!(Number.isSafeInteger(maxCredits) && Number(maxCredits) >= 0))
    throw invalidOption(
      'maxCredits',
      maxCredits,
      'a whole number of credits, 0 or more: the most that the call may cost',
    )
  const max = Number(maxCredits)
  return {
    operation: 'request',
    path: `${checkPath(path)}${toSearch(query)}`,
    cost: { min: 0, max, requests: 1 },
    price: undefined,
    isHeavy: false,
    isKeyless: false,
    bareField: undefined,
    addresses: [],
  }
}

function checkPath(path: unknown): string {
  const segments = typeof path === 'string' ? path.replace(/^\//, '').split('/') : []
  const isBelow = segments.every(
    (segment) => SEGMENT.test(segment) && !/^(?:\.|%2e){1,2}$/i.test(segment) && !/%2f|%5c/i.test(segment),
  )
  if (segments.length > 0 && isBelow) return segments.join('/')
  const message =
    'Invalid path. It must be a path below baseUrl such as "/tokens/52014", without "..", query or fragment. Nothing was sent.'
  throw new InvalidRequestError(message, { code: 'invalid_request', operation: 'request' })
}

function toSearch(query: RequestQuery | undefined): string {
  if (query === undefined) return ''
  if (!isObject(query)) throw invalidOption('query', query, 'an object of texts, numbers and booleans')
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw invalidOption(`query.${name}`, value, 'a text, a number or a boolean')
    search.append(name, String(value))
  }
  return search.size === 0 ? '' : `?${search}`
}
