import { MAX_ITEMS } from '../credits/batch-cost.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import { FRESHNESS_MS } from '../generated/freshness.ts'
import { type OperationId, operations } from '../generated/operations.ts'
import type { Operation, Param } from '../operations/operation.ts'
import { isArray } from '../operations/type-guards.ts'
import { isAddress } from '../utils/address.ts'
import type { AllowedOperation, ProxyOptions } from './types.ts'

/** What visitors may ask of one operation. */
export interface Rule {
  readonly operation: OperationId
  /** Sent where the visitor gives none; undefined where the operation's own maximum holds. */
  readonly limit: number | undefined
  readonly maxAddresses: number
  /** The tokens that may be asked for, in lower case; undefined for every token. */
  readonly tokens: 'listed' | ReadonlySet<string> | undefined
  /** Accepted values by parameter; a parameter that is not in it takes all its values. */
  readonly values: ReadonlyMap<string, readonly (string | number)[]>
  readonly cacheMs: number
}

/** The operations whose addresses are of collections, presales and wallets. */
const WITHOUT_TOKENS: readonly OperationId[] = ['nft.collection', 'nft.assets', 'presale.get', 'balances.get']

/** The parameter of an operation that names tokens, if it has one. */
export function tokenParamOf(operation: OperationId): string | undefined {
  const { params }: Operation = operations[operation]
  const named = params.find(({ kind }) => kind === 'address' || kind === 'addresses')
  return WITHOUT_TOKENS.includes(operation) ? undefined : named?.name
}

/**
 * The rule of each allowed operation.
 * @throws InvalidRequestError for an unknown name, or a limit or value that the operation does not have
 */
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

function readRule(entry: AllowedOperation): Rule {
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
  for (const [name, accepted] of Object.entries(values)) requireValues(operation, name, accepted)
  return {
    operation,
    limit,
    maxAddresses: addresses ?? MAX_ITEMS,
    tokens: tokens === undefined ? undefined : readTokens(`tokens of ${operation}`, tokens),
    values: new Map(Object.entries(values)),
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
  if (!Number.isSafeInteger(value) || value < 1 || value > max)
    throw invalidOption(`${name} of ${operation}`, value, `a whole number from 1 to ${max}`)
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
