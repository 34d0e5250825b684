import { checksumAddress, isMixedCase } from '../address.ts'
import { InvalidLimitError, InvalidRequestError } from '../errors/input.ts'
import { type OperationId, operations } from '../generated/operations.ts'
import { paramSchemas } from '../generated/schemas.ts'
import type { Operation, Param } from '../operation.ts'

/** Parameters that may go out: checked, addresses in EIP-55 form, choices in the service's spelling. */
export interface CheckedParams {
  readonly operation: OperationId
  readonly values: Readonly<Record<string, string | number | readonly string[] | undefined>>
}

/** Spells an address in EIP-55 form. */
type Checksum = (address: string) => string

/**
 * Checks and normalises the parameters of an operation.
 * @throws InvalidRequestError, or InvalidLimitError, naming the parameter, the value and the rule.
 */
export function checkParams(
  operation: OperationId,
  params: unknown,
  checksum: Checksum = checksumAddress,
): CheckedParams {
  if (!Object.hasOwn(operations, operation)) {
    throw new InvalidRequestError(
      `Unknown operation ${show(operation)}. Known: ${Object.keys(operations).join(', ')}.`,
      {
        code: 'invalid_request',
      },
    )
  }
  const given = params ?? {}
  const known: readonly Param[] = operations[operation].params
  const result = paramSchemas[operation].safeParse(given)
  if (!result.success) throw refusal(operation, known, given, result.error.issues)
  const values: Record<string, string | number | readonly string[] | undefined> = { ...result.data }
  for (const param of known) {
    const value = values[param.name]
    if (param.kind === 'chain') values[param.name] ??= 52014
    if (value === undefined) continue
    if (param.kind === 'address') values[param.name] = spell(operation, param, value as string, param.name, checksum)
    if (param.kind === 'addresses') {
      values[param.name] = (value as readonly string[]).map((address, index) =>
        spell(operation, param, address, `${param.name}[${index}]`, checksum),
      )
    }
    if (param.anyCase) values[param.name] = String(value).toUpperCase()
  }
  return { operation, values }
}

function spell(operation: OperationId, param: Param, address: string, name: string, checksum: Checksum): string {
  const spelled = checksum(address)
  if (isMixedCase(address) && spelled !== address) {
    throw invalidParam(operation, param, name, address, `Its checksum is wrong: ${spelled} would be right.`)
  }
  return spelled
}

interface SchemaIssue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
}

function refusal(
  operation: OperationId,
  known: readonly Param[],
  given: unknown,
  issues: readonly SchemaIssue[],
): InvalidRequestError {
  const [issue] = issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys?.[0] : undefined
  if (unknown !== undefined) {
    const names = known.map(({ name }) => name).join(', ') || 'none'
    return new InvalidRequestError(
      `${operation}: unknown parameter "${unknown}". It takes: ${names}. Nothing was sent.`,
      {
        code: 'invalid_request',
        operation,
      },
    )
  }
  const [first, ...rest] = issue?.path ?? []
  const param = known.find(({ name }) => name === first)
  if (param === undefined) {
    return new InvalidRequestError(
      `${operation}: parameters must be an object, not ${show(given)}. Nothing was sent.`,
      {
        code: 'invalid_request',
        operation,
      },
    )
  }
  const name = [param.name, ...rest.map((index) => `[${String(index)}]`)].join('')
  const value = [param.name, ...rest].reduce<unknown>(
    (node, key) => (node as Record<PropertyKey, unknown> | undefined)?.[key],
    given,
  )
  return invalidParam(operation, param, name, value)
}

function invalidParam(
  operation: OperationId,
  param: Param,
  name: string,
  value: unknown,
  hint = '',
): InvalidRequestError {
  const Problem = param.kind === 'limit' ? InvalidLimitError : InvalidRequestError
  const message = `${operation}: invalid ${name}: ${show(value)}. It must be ${param.rule}.${hint && ` ${hint}`} Nothing was sent.`
  return new Problem(message, {
    code: param.kind === 'limit' ? 'invalid_limit' : 'invalid_request',
    operation,
    issues: [{ path: name, message: `must be ${param.rule}` }],
  })
}

function show(value: unknown): string {
  if (value === undefined) return 'it is missing'
  if (typeof value === 'string') return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value)
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? `a list of ${value.length}` : 'an object'
  return String(value)
}

/** Path and query below the base URL, such as `tokens/52014/0x…?limit=5`. */
export function buildPath({ operation, values }: CheckedParams): string {
  const { path, params }: Operation = operations[operation]
  const filled = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(String(values[name])))
  const query = new URLSearchParams()
  for (const { name, in: where } of params) {
    const value = values[name]
    if (where === 'query' && value !== undefined) query.set(name, String(value))
  }
  const text = query.toString().replaceAll('%2C', ',')
  return text === '' ? filled : `${filled}?${text}`
}

/** A value never becomes more than one segment, and never one that walks up. */
function encodeSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') throw new TypeError('Not a path segment.')
  return encodeURIComponent(value)
}
