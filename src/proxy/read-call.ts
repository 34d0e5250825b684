import { MAX_ITEMS } from '../credits/cheapest-requests.ts'
import { invalidOption, rejectUnknown, requireInteger } from '../errors/input.ts'
import { FRESHNESS_MS } from '../generated/freshness.ts'
import { CHAIN_ID, type OperationId, operations } from '../generated/operations.ts'
import type { Operation, Param } from '../operations/operation.ts'
import { isArray } from '../operations/type-guards.ts'
import { defaultOf, type ParamValue, validateParams } from '../operations/validate-params.ts'
import { type AddressReader, isAddress, memoize } from '../utils/address.ts'
import { once } from '../utils/once.ts'
import { badRequest, refuse } from './respond.ts'
import type { AllowedOperation, ProxyOptions } from './types.ts'

type Rule = Readonly<ReturnType<typeof readRule>>

/** The operations whose addresses are of collections, presales and wallets. */
const WITHOUT_TOKENS: readonly OperationId[] = ['nft.collection', 'nft.assets', 'presale.get', 'balances.get']

/** The parameter of an operation that names tokens, if it has one. */
function tokenParamOf(operation: OperationId): string | undefined {
  const { params }: Operation = operations[operation]
  const named = params.find(({ kind }) => kind === 'address' || kind === 'addresses')
  return WITHOUT_TOKENS.includes(operation) ? undefined : named?.name
}

/** @throws InvalidRequestError for an unknown name, or a limit or value that the operation does not have */
export function readRules(allow: ProxyOptions['allow']): ReadonlyMap<OperationId, Rule> {
  if (!isArray(allow)) throw invalidOption('allow', allow, 'a list of operations')
  const rules = new Map<OperationId, Rule>()
  for (const entry of allow) {
    const rule = readRule(typeof entry === 'string' ? { operation: entry } : entry)
    if (rules.has(rule.operation)) throw invalidOption('allow', rule.operation, 'named once')
    rules.set(rule.operation, rule)
  }
  return rules
}

function readRule(entry: AllowedOperation) {
  rejectUnknown('entry of allow', entry, ['operation', 'limit', 'addresses', 'tokens', 'values', 'cacheMs'])
  const { operation, limit, addresses, tokens, values = {}, cacheMs = FRESHNESS_MS[operation] } = entry
  if (!Object.hasOwn(operations, operation))
    throw invalidOption('operation of allow', operation, `one of ${Object.keys(operations).join(', ')}`)
  const { params }: Operation = operations[operation]
  const own = (kind: Param['kind']) => params.find((param) => param.kind === kind)
  const limitRule = own('limit')
  if (limit !== undefined) requireCount('limit', operation, limit, limitRule?.kind === 'limit' ? limitRule.max : 0)
  if (addresses !== undefined) requireCount('addresses', operation, addresses, own('addresses') ? MAX_ITEMS : 0)
  if (tokens !== undefined && tokenParamOf(operation) === undefined)
    throw invalidOption(`tokens of ${operation}`, tokens, 'left out: the operation has no tokens')
  if (!(typeof cacheMs === 'number' && cacheMs >= 0 && cacheMs < Number.POSITIVE_INFINITY))
    throw invalidOption(`cacheMs of ${operation}`, cacheMs, 'a number of milliseconds, 0 or more')
  if (typeof values !== 'object' || values === null) throw invalidOption(`values of ${operation}`, values, 'an object')
  const accepted = Object.entries(values).flatMap(([name, list]) => (list === undefined ? [] : [[name, list] as const]))
  for (const [name, list] of accepted) requireValues(operation, name, list)
  return {
    operation,
    /** Sent where the visitor gives none; undefined where the operation's own maximum holds. */
    limit,
    maxAddresses: addresses ?? MAX_ITEMS,
    /** The tokens that may be asked for, in lower case; undefined for every token. */
    tokens: tokens === undefined ? undefined : readTokens(`tokens of ${operation}`, tokens),
    /** Accepted values by parameter; a parameter that is not in it takes all its values. */
    values: new Map(accepted),
    cacheMs,
  }
}

/** @throws InvalidRequestError for anything but `'listed'` or a list of addresses */
export function readTokens(name: string, tokens: unknown): 'listed' | ReadonlySet<string> {
  if (tokens === 'listed') return tokens
  if (isArray(tokens) && tokens.every(isAddress)) return new Set(tokens.map((address) => address.toLowerCase()))
  throw invalidOption(name, tokens, "'listed' or a list of addresses")
}

/** @param max 0 where the operation has no such parameter */
function requireCount(name: string, operation: OperationId, value: number, max: number): void {
  if (max === 0) throw invalidOption(`${name} of ${operation}`, value, 'left out: the operation has no such parameter')
  requireInteger(`${name} of ${operation}`, value, `a whole number from 1 to ${max}`, 1, max)
}

function requireValues(operation: OperationId, name: string, accepted: unknown): void {
  const { params }: Operation = operations[operation]
  const param = params.find((each) => each.name === name)
  if (param?.kind !== 'choice')
    throw invalidOption(`values of ${operation}`, name, 'a parameter with a list of allowed values')
  const isKnown = (value: unknown) => param.values.some((known) => known === value)
  if (!isArray(accepted) || accepted.length === 0 || !accepted.every(isKnown))
    throw invalidOption(`values.${name} of ${operation}`, accepted, `a list of some of ${param.values.join(', ')}`)
}

/** What a URL asks for; undefined for what does not exist. */
export type Route = OperationRoute | { operation: 'stream' } | { operation: 'status' } | { operation: undefined }

interface OperationRoute {
  readonly operation: OperationId
  /** @throws Refusal, or the client's error for parameters that the operation does not take */
  readonly call: () => ProxyCall
}

/** Routes that are remembered. One with a batch of 50 addresses takes about 15 kB. */
const MAX_ROUTES = 250
const MAX_REMEMBERED_LENGTH = 5_000

/** `new URL` has resolved `..` and `%2e%2e`; what is still encoded, or holds another separator, is no value of the service. */
const VALUE = '\\w{1,64}'
const CHAIN = '\\d{1,16}'

/**
 * Reads what a URL asks for. The whole path has to match, so that no part of it can lead elsewhere. What was read is remembered: to read it takes a
 * fifth of an answer that was kept.
 */
export function createRouter(
  basePath: string,
  rules: ReadonlyMap<OperationId, Rule>,
  reader: AddressReader,
): (href: string) => Route {
  const patterns = Object.entries(operations).map(([operation, { path }]) => {
    const pattern = path
      .replaceAll('.', '\\.')
      .replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>${name === 'chainId' ? CHAIN : VALUE})`)
    return { operation: operation as OperationId, pattern: new RegExp(`^${pattern}$`) }
  })
  const read = (href: string): Route => {
    const url = new URL(href)
    const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : ''
    if (path === '/stream') return { operation: 'stream' }
    if (path === '/_status') return { operation: 'status' }
    for (const { operation, pattern } of patterns) {
      const match = pattern.exec(path)
      if (match) return { operation, call: once(() => readCall(operation, rules, { ...match.groups }, url, reader)) }
    }
    return { operation: undefined }
  }
  const known = memoize(read, MAX_ROUTES)
  return (href) => (href.length > MAX_REMEMBERED_LENGTH ? read(href) : known(href))
}

/** A call that a visitor asks for, checked and in one form for every spelling of it. */
export type ProxyCall = Readonly<ReturnType<typeof readCall>>

/** Longer than a batch of 50 encoded addresses. */
const MAX_QUERY_LENGTH = 4_096

function readCall(
  operation: OperationId,
  rules: ReadonlyMap<OperationId, Rule>,
  pathParams: Readonly<Record<string, string>>,
  { searchParams: query, search }: URL,
  reader: AddressReader,
) {
  const rule = rules.get(operation)
  if (rule === undefined) throw refuse(403, 'not_allowed', `${operation} is not open to visitors.`)
  if (search.length > MAX_QUERY_LENGTH) throw badRequest(`The query has more than ${MAX_QUERY_LENGTH} characters.`)
  const { params: known, credits }: Operation = operations[operation]
  const queried = known.filter((param) => param.query)
  const params: Record<string, unknown> = {}
  // Only the digits themselves: for the service, `052014` is another chain.
  for (const [name, text] of Object.entries(pathParams))
    params[name] = name === 'chainId' && text === String(CHAIN_ID) ? CHAIN_ID : text
  for (const [name, text] of query) {
    const param = queried.find((each) => each.name === name)
    if (param === undefined) {
      const names = queried.map((each) => each.name).join(', ') || 'none'
      throw badRequest(`${operation}: the query has an unknown parameter. It takes: ${names}.`)
    }
    if (Object.hasOwn(params, name)) throw badRequest(`${operation}: ${name} is given twice.`)
    params[name] = readValue(param, text)
  }
  applyRule(rule, params)
  const { values } = validateParams(operation, params, reader)
  if (isArray(values.addresses) && values.addresses.length === 0) throw badRequest(`${operation}: addresses is empty.`)
  const normal = Object.fromEntries(known.map((param) => [param.name, toOneForm(param, values[param.name])]))
  // The tokens that it names.
  const tokens = [normal[tokenParamOf(operation) ?? ''] ?? []].flat().map((token) => String(token).toLowerCase())
  // Equal for calls with the same answer.
  const key = `${operation} ${JSON.stringify(normal)}`
  return { operation, params: normal, key, rule, tokens, isMetered: credits !== null }
}

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
function toOneForm(param: Param, value: ParamValue): ParamValue {
  if (isArray(value)) return [...new Set(value)].sort()
  // What the service takes anyway is left out, so that a call with it shares the answer of one without.
  return param.kind === 'choice' && value === param.default ? undefined : value
}
