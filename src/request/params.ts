import { type Address, isMixedCase, readAddress } from '../address.ts'
import { InvalidLimitError, InvalidRequestError } from '../errors/input.ts'
import { CHAIN_ID, type OperationId, operations } from '../generated/operations.ts'
import { isArray, isObject } from '../guard.ts'
import type { Operation, Param } from '../operation.ts'
import { ruleOf } from '../rule.ts'
import type { CheckedParams, ParamValue } from './types.ts'

/** A text is shown whole or not at all: a part of it might be a part of a secret. */
const LONGEST_SHOWN = 200

/** Reads an address; undefined for what is none. */
export type ReadAddress = (value: unknown) => Address | undefined

/**
 * Checks and normalises the parameters of an operation. Unknown ones are refused: a misspelt limit would be paid for.
 * @throws InvalidRequestError, or InvalidLimitError, naming the parameter, the value and the rule.
 */
export function checkParams(
  operation: OperationId,
  given: unknown = {},
  read: ReadAddress = readAddress,
): CheckedParams {
  if (!Object.hasOwn(operations, operation)) {
    throw refuse(undefined, `Unknown operation ${show(operation)}. Known: ${Object.keys(operations).join(', ')}.`)
  }
  if (!isObject(given)) throw refuse(operation, `${operation}: parameters must be an object, not ${show(given)}.`)
  const { params, path }: Operation = operations[operation]
  const onChain = path.includes('{chainId}')
  for (const name of Object.keys(given)) {
    if (params.some((param) => param.name === name) || (onChain && name === 'chainId')) continue
    const known = [...(onChain ? ['chainId'] : []), ...params.map((param) => param.name)]
    throw refuse(operation, `${operation}: unknown parameter ${show(name)}. It takes: ${known.join(', ') || 'none'}.`)
  }
  const { chainId = CHAIN_ID } = given
  if (chainId !== CHAIN_ID) {
    throw refuse(
      operation,
      `${operation}: invalid chainId: ${show(chainId)}. It must be ${CHAIN_ID}, the only chain.`,
      'chainId',
    )
  }
  const values: Record<string, ParamValue> = onChain ? { chainId: CHAIN_ID } : {}
  for (const param of params) values[param.name] = checkParam(operation, param, given[param.name], read)
  const { addresses } = given
  return { operation, values, spellings: isArray(values.addresses) ? (addresses as string[]).map(String) : [] }
}

function checkParam(operation: OperationId, param: Param, value: unknown, read: ReadAddress): ParamValue {
  if (value === undefined && !param.required) return undefined
  const wrong = (name = param.name, shown = value, hint = '') => {
    const message = `${operation}: invalid ${name}: ${show(shown)}. It must be ${ruleOf(param)}.${hint}`
    return refuse(operation, message, name, param.kind === 'limit' ? InvalidLimitError : InvalidRequestError)
  }
  const checkAddress = (asked: unknown, index?: number) => {
    const name = () => (index === undefined ? param.name : `${param.name}[${index}]`)
    const address = read(asked)
    if (address === undefined) throw wrong(name(), asked)
    const { spelled } = address
    if (spelled !== asked && isMixedCase(String(asked)))
      throw wrong(name(), asked, ` The right checksum is ${spelled}.`)
    return address
  }
  switch (param.kind) {
    case 'address':
      return checkAddress(value).spelled
    case 'addresses':
      if (!isArray(value) || value.length === 0) throw wrong()
      return Array.from(value, checkAddress)
    case 'limit':
      if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > param.max) throw wrong()
      return Number(value)
    case 'choice': {
      const spelled = param.anyCase && typeof value === 'string' ? value.toUpperCase() : value
      const choice = param.values.find((allowed) => allowed === spelled)
      if (choice === undefined) throw wrong()
      return choice
    }
  }
}

function refuse(
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
    return value.length > LONGEST_SHOWN ? `a text of ${value.length} characters` : JSON.stringify(value)
  if (typeof value === 'object' && value !== null) return isArray(value) ? `a list of ${value.length}` : 'an object'
  return String(value)
}
