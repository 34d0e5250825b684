import { CHAIN_ID, type OperationId, operations } from '../generated/operations.ts'
import type { Operation, Param } from '../operations/operation.ts'
import { isArray } from '../operations/type-guards.ts'
import { defaultOf } from '../operations/validate-params.ts'
import { badRequest, refuse } from './refusal.ts'
import { type Rule, tokenParamOf } from './rules.ts'

/** What a path asks for. */
export type Route = OperationRoute | { readonly operation: 'stream' } | { readonly operation: 'status' }

interface OperationRoute {
  readonly operation: OperationId
  readonly params: Readonly<Record<string, string>>
}

/** `new URL` has resolved `..` and `%2e%2e`; what is still encoded, or holds another separator, is no value of the service. */
const VALUE = '\\w{1,64}'
const CHAIN = '\\d{1,16}'

/** Finds the operation of a path. The whole path has to match, so that no part of it can lead elsewhere. */
export function createRouter(basePath: string): (pathname: string) => Route | undefined {
  const patterns = Object.entries(operations).map(([operation, { path }]) => {
    const pattern = path
      .replaceAll('.', '\\.')
      .replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>${name === 'chainId' ? CHAIN : VALUE})`)
    return { operation: operation as OperationId, pattern: new RegExp(`^${pattern}$`) }
  })
  return (pathname) => {
    if (!pathname.startsWith(`${basePath}/`)) return undefined
    const path = pathname.slice(basePath.length)
    if (path === '/stream') return { operation: 'stream' }
    if (path === '/_status') return { operation: 'status' }
    for (const { operation, pattern } of patterns) {
      const match = pattern.exec(path)
      if (match) return { operation, params: { ...match.groups } }
    }
    return undefined
  }
}

/** A call that a visitor asks for, checked and in one form for every spelling of it. */
export interface ProxyCall {
  readonly operation: OperationId
  readonly params: Readonly<Record<string, unknown>>
  /** Equal for calls with the same answer. */
  readonly key: string
  readonly rule: Rule
  /** The tokens that it names, in lower case. */
  readonly tokens: readonly string[]
  /** Whether the operation costs credits. */
  readonly isMetered: boolean
}

/** Longer than a batch of 50 encoded addresses. */
const MAX_QUERY_LENGTH = 4_096

/**
 * Turns a path and a query into the parameters of a call.
 * @param check throws the client's error for parameters that the operation does not take
 * @throws Refusal, or the error of `check`
 */
export function readCall(
  rule: Rule,
  pathParams: Readonly<Record<string, string>>,
  { searchParams: query, search }: URL,
  check: (operation: OperationId, params: unknown) => void,
): ProxyCall {
  if (search.length > MAX_QUERY_LENGTH) throw badRequest(`The query has more than ${MAX_QUERY_LENGTH} characters.`)
  const { operation } = rule
  const { params: known, credits }: Operation = operations[operation]
  const params: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(pathParams)) params[name] = name === 'chainId' ? readChain(text) : text
  for (const [name, text] of query) {
    const param = known.find((each) => each.query && each.name === name)
    if (param === undefined) throw badRequest(`${operation}: the query has an unknown parameter. ${namesOf(known)}`)
    if (Object.hasOwn(params, name)) throw badRequest(`${operation}: ${name} is given twice.`)
    params[name] = readValue(param, text)
  }
  applyRule(rule, params)
  check(operation, params)
  if (isArray(params.addresses) && params.addresses.length === 0) throw badRequest(`${operation}: addresses is empty.`)
  const normal = Object.fromEntries(known.map((param) => [param.name, normalize(param, params[param.name])]))
  const named = normal[tokenParamOf(operation) ?? '']
  const tokens = (named === undefined ? [] : [named].flat()) as string[]
  const key = `${operation} ${JSON.stringify(normal)}`
  return { operation, params: normal, key, rule, tokens, isMetered: credits !== null }
}

/** Only the digits themselves: for the service, `052014` is another chain. */
const readChain = (text: string) => (text === String(CHAIN_ID) ? CHAIN_ID : text)

/** A text that is no such value stays as it is: the client names it in its error. */
function readValue(param: Param, text: string): unknown {
  switch (param.kind) {
    case 'limit':
      return /^\d{1,9}$/.test(text) ? Number(text) : text
    case 'addresses':
      return text === '' ? [] : text.split(',')
    case 'choice':
      return param.values.find((value) => String(value) === text) ?? text
    case 'address':
      return text
  }
}

function applyRule({ operation, limit, maxAddresses, values }: Rule, params: Record<string, unknown>): void {
  if (isArray(params.addresses) && params.addresses.length > maxAddresses)
    throw badRequest(`${operation}: ${params.addresses.length} addresses. At most ${maxAddresses} fit in one request.`)
  if (limit !== undefined) {
    params.limit ??= limit
    if (typeof params.limit === 'number' && params.limit > limit)
      throw refuse(400, 'invalid_limit', `${operation}: invalid limit: ${params.limit}. It must be at most ${limit}.`)
  }
  for (const [name, accepted] of values) {
    const value = params[name] ?? defaultOf(operation, name as never)
    const isAccepted = accepted.some((each) => String(each).toUpperCase() === String(value).toUpperCase())
    // What is no value at all is named by the client.
    if (!isAccepted) throw badRequest(`${operation}: ${name} must be one of ${accepted.join(', ')} here.`)
  }
}

/** One form for equal values, so that every spelling of a call shares one purchase. */
function normalize(param: Param, value: unknown): unknown {
  if (value === undefined) return undefined
  switch (param.kind) {
    case 'address':
      return String(value).toLowerCase()
    case 'addresses':
      return [...new Set((value as string[]).map((address) => address.toLowerCase()))].sort()
    case 'choice': {
      const known = param.anyCase ? String(value).toUpperCase() : value
      // What the service takes anyway is left out, so that a call with it shares the answer of one without.
      return known === param.default ? undefined : known
    }
    case 'limit':
      return value
  }
}

function namesOf(known: readonly Param[]): string {
  const names = known.filter(({ query }) => query).map(({ name }) => name)
  return `It takes: ${names.join(', ') || 'none'}.`
}
