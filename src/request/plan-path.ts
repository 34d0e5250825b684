import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import { isObject } from '../operations/type-guards.ts'
import type { RequestQuery } from '../options.ts'
import type { PlannedRequest } from './types.ts'

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
