import type { CallExtras } from '../client/client-internals.ts'
import type { BatchOptions, CallOptions, RequestOptions, RequestQuery } from '../client/options.ts'
import { type CostEstimate, splitCall } from '../credits/cost.ts'
import type { CallName } from '../errors/base.ts'
import { InvalidRequestError, invalidOption, requireInteger } from '../errors/input.ts'
import { CHAIN_ID, type OperationId, operations } from '../generated/operations.ts'
import type { CreditCost, Operation } from '../operations/operation.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import { type ValidatedParams, validateParams } from '../operations/validate-params.ts'
import type { AddressReader } from '../utils/address.ts'
import { BATCH, mergeBatch, requireWhole } from './batch.ts'
import type { PaidResult } from './billing.ts'

export interface CallInput extends CallExtras {
  readonly operation: CallName
  readonly params: unknown
  readonly options: CallOptions | undefined
  plan(): CallPlan
}

/** What a call asks for, and how its data is made of the answers. */
export interface CallPlan {
  readonly requests: readonly PlannedRequest[]
  /** Of a call that may take several requests; the data of any other call is that of its only answer. */
  readonly merge?: (results: readonly PaidResult[]) => unknown
}

/** One request that may be charged: one operation, or one chunk of a batch. */
export interface PlannedRequest {
  readonly operation: CallName
  /** Path and query below the base URL: equal for requests that ask for the same thing, and for no others. */
  readonly path: string
  readonly cost: CostEstimate
  /** How it is priced; null when it is free, undefined when the contract does not know it. */
  readonly price: CreditCost | null | undefined
  readonly isHeavy: boolean
  readonly isKeyless: boolean
  /** The field that distinguishes a bare body from the envelope, where the service may send either. */
  readonly bareField: string | undefined
  /** The addresses of a chunk of a batch, in lower case; empty for other operations. */
  readonly addresses: readonly string[]
}

export function operationInput(
  operation: OperationId,
  params: unknown,
  options: CallOptions | undefined,
  addressReader: AddressReader,
): CallInput {
  const plan = (): CallPlan => {
    const validated = validateParams(operation, params, addressReader)
    const requests = planRequests(validated)
    if (operation !== BATCH) return { requests }
    const { partial = 'throw' } = (options ?? {}) as BatchOptions
    if (partial !== 'throw' && partial !== 'return') throw invalidOption('partial', partial, "'throw' or 'return'")
    return {
      requests,
      merge(results) {
        const merged = mergeBatch(validated, requests, results)
        return partial === 'return' ? merged : requireWhole(merged, requests.length)
      },
    }
  }
  // Own properties, so that a call of the client reads none from a prototype that somebody has changed. A spread of them takes a quarter of the call.
  return { budget: undefined, stop: undefined, onAnswer: undefined, onEnd: undefined, operation, params, options, plan }
}

/** A call of `client.request()`. */
export function pathInput(path: string, options: RequestOptions): CallInput {
  const { query, maxCredits } = options ?? {}
  const params = { path, query }
  const plan = () => ({ requests: [planPath(path, query, maxCredits)] })
  return {
    budget: undefined,
    stop: undefined,
    onAnswer: undefined,
    onEnd: undefined,
    operation: 'request',
    params,
    options,
    plan,
  }
}

export function planRequests(params: ValidatedParams): PlannedRequest[] {
  const { credits, heavy, keyless, bareField }: Operation = operations[params.operation]
  return splitCall(params).map(({ params: own, cost }) => ({
    operation: own.operation,
    path: buildPath(own),
    cost,
    price: credits,
    isHeavy: heavy === true,
    isKeyless: keyless === true,
    bareField,
    addresses: isArray(own.values.addresses) ? own.values.addresses : [],
  }))
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

/** The request of `client.request()`. @throws InvalidRequestError for a path that leads elsewhere, or a query or limit that is not accepted */
export function planPath(path: unknown, query: RequestQuery | undefined, maxCredits: unknown): PlannedRequest {
  const rule = 'a whole number of credits, 0 or more: the most that the call may cost'
  const max = requireInteger('maxCredits', maxCredits, rule, 0)
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
