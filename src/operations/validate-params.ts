import { InvalidLimitError, InvalidRequestError } from '../errors/input.ts'
import { CHAIN_ID, type OperationId, operations } from '../generated/operations.ts'
import { type AddressReader, addressReader, isMixedCase, looksLikeAddress } from '../utils/address.ts'
import { type ChoiceRule, type Operation, type Param, ruleOf } from './operation.ts'
import { isArray, isObject } from './type-guards.ts'

/** Parameters that may be sent: checked, with addresses and choices as the service expects them. */
export interface ValidatedParams {
  readonly operation: OperationId
  readonly values: Readonly<Record<string, ParamValue>>
  /** The addresses of a batch as the caller wrote them, one for each in `values.addresses`. */
  readonly originalInputs: readonly string[]
}

/** A list holds the addresses of a batch, in lower case. */
export type ParamValue = string | number | readonly string[] | undefined

/** A longer text is not shown: a part of it might be a part of a secret. */
const MAX_SHOWN_LENGTH = 200

/**
 * Checks and normalises the parameters of an operation. Unknown ones are rejected: a misspelt `limit` would be paid for.
 * @throws InvalidRequestError, or InvalidLimitError, naming the parameter, the value and the rule.
 */
export function validateParams(
  operation: OperationId,
  given: unknown = {},
  reader: AddressReader = addressReader,
): ValidatedParams {
  if (!Object.hasOwn(operations, operation)) {
    throw reject(undefined, `Unknown operation ${show(operation)}. Known: ${Object.keys(operations).join(', ')}.`)
  }
  if (!isObject(given)) throw reject(operation, `${operation}: parameters must be an object, not ${show(given)}.`)
  const { params, path }: Operation = operations[operation]
  const hasChain = path.includes('{chainId}')
  for (const name of Object.keys(given)) {
    if (params.some((param) => param.name === name) || (hasChain && name === 'chainId')) continue
    const known = [...(hasChain ? ['chainId'] : []), ...params.map((param) => param.name)]
    throw reject(operation, `${operation}: unknown parameter ${show(name)}. It takes: ${known.join(', ') || 'none'}.`)
  }
  const { chainId = CHAIN_ID, addresses } = given
  if (chainId !== CHAIN_ID) {
    const message = `${operation}: invalid chainId: ${show(chainId)}. It must be ${CHAIN_ID}, the only chain.`
    throw reject(operation, message, 'chainId')
  }
  const values: Record<string, ParamValue> = hasChain ? { chainId: CHAIN_ID } : {}
  for (const param of params) values[param.name] = validateParam(operation, param, given[param.name], reader)
  return { operation, values, originalInputs: isArray(values.addresses) ? (addresses as string[]).map(String) : [] }
}

function validateParam(operation: OperationId, param: Param, value: unknown, reader: AddressReader): ParamValue {
  if (value === undefined && !param.required) return undefined
  const wrong = (name = param.name, shown = value, hint = '') => {
    const message = `${operation}: invalid ${name}: ${show(shown)}. It must be ${ruleOf(param)}.${hint}`
    return reject(operation, message, name, param.kind === 'limit' ? InvalidLimitError : InvalidRequestError)
  }
  const requireAddress = (asked: unknown, name: string): string => {
    if (!looksLikeAddress(asked)) throw wrong(name, asked)
    const checksummed = isMixedCase(asked) ? reader.checksum(asked) : asked
    if (checksummed !== asked) throw wrong(name, asked, ` The right checksum is ${checksummed}.`)
    return asked
  }
  switch (param.kind) {
    case 'address':
      return reader.checksum(requireAddress(value, param.name))
    case 'addresses':
      if (!isArray(value)) throw wrong()
      // The service takes lower case here, so that nothing needs to be hashed but a checksum to verify.
      return Array.from(value, (asked, index) => {
        const lowerCase = typeof asked === 'string' ? reader.lowerCase(asked) : undefined
        return lowerCase ?? requireAddress(asked, `${param.name}[${index}]`)
      })
    case 'limit':
      if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > param.max) throw wrong()
      return Number(value)
    case 'choice': {
      const normalized = param.anyCase && typeof value === 'string' ? value.toUpperCase() : value
      const choice = param.values.find((allowed) => allowed === normalized)
      if (choice === undefined) throw wrong()
      return choice
    }
  }
}

function reject(
  operation: OperationId | undefined,
  message: string,
  name?: string,
  Problem = InvalidRequestError,
): InvalidRequestError {
  return new Problem(`${message} Nothing was sent.`, {
    code: Problem === InvalidLimitError ? 'invalid_limit' : 'invalid_request',
    operation,
    issues: name === undefined ? undefined : [{ path: name, message }],
  })
}

function show(value: unknown): string {
  if (value === undefined) return 'it is missing'
  if (typeof value === 'string')
    return value.length > MAX_SHOWN_LENGTH ? `a text of ${value.length} characters` : JSON.stringify(value)
  if (typeof value === 'object' && value !== null) return isArray(value) ? `a list of ${value.length}` : 'an object'
  return String(value)
}

type ParamOf<Id extends OperationId> = (typeof operations)[Id]['params'][number]

export function defaultOf<Id extends OperationId, Name extends ParamOf<Id>['name']>(
  operation: Id,
  name: Name,
): Extract<ParamOf<Id>, { name: Name; default: unknown }>['default'] {
  const { params }: Operation = operations[operation]
  const param = params.find((each) => each.name === name) as Partial<ChoiceRule> | undefined
  return param?.default as never
}
