import { document } from '../../generated/document.ts'
import { looksLikeAddress } from '../../utils/address.ts'
import { cut, FakeUsageError, show } from './check-options.ts'
import { type FakeOperation, fakeOperations, fakeRoutes } from './routes.ts'

/** The part of JSON Schema that the fake's documents use. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  format?: string
  pattern?: string
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  items?: Schema
  minItems?: number
  minimum?: number
  maximum?: number
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
}

/** Finds what a `$ref` names. */
export type Resolve = (ref: string) => unknown

const DECIMAL = /^\d+(\.\d+)?$/

/** The first mismatch of a value with a schema, in words that start with its path; `undefined` if it matches. */
export function findMismatchWith(resolve: Resolve, path: string, given: Schema, value: unknown): string | undefined {
  const next = (name: string, schema: Schema, item: unknown) => findMismatchWith(resolve, name, schema, item)
  if (given.$ref !== undefined) return next(path, resolve(given.$ref) as Schema, value)
  const { type, anyOf, items } = given
  if (given.enum && !given.enum.includes(value))
    return `${path} is ${given.enum.length > 1 ? 'one of ' : ''}${given.enum.join(', ')}, not ${show(value)}.`
  if (type !== undefined && ![type].flat().some((one) => isOfType(one, value)))
    return `${path} is ${describeType(given)}, not ${show(value)}.`
  if (anyOf)
    return mismatchOfAll(
      path,
      value,
      anyOf.map((one) => () => next(path, one, value)),
    )
  if (typeof value === 'number') {
    const { minimum = value, maximum = value } = given
    return minimum <= value && value <= maximum ? undefined : `${path} is ${describeType(given)}, not ${value}.`
  }
  if (typeof value === 'string') return checkText(path, given, value)
  if (Array.isArray(value)) {
    if (value.length < (given.minItems ?? 0)) return `${path} has at least ${given.minItems} items.`
    return first(value.map((item, i) => () => items && next(`${path}[${i}]`, items, item)))
  }
  if (typeof value === 'object' && value !== null)
    return checkObject(path, given, value as Record<string, unknown>, next)
  return undefined
}

/** Of several forms, the mismatch that lies deepest belongs to the form that was meant. */
function mismatchOfAll(path: string, value: unknown, forms: (() => string | undefined)[]): string | undefined {
  const mismatches: string[] = []
  for (const form of forms) {
    const mismatch = form()
    if (mismatch === undefined) return undefined
    mismatches.push(mismatch)
  }
  const [start, end] = [`${path} is `, `, not ${show(value)}.`]
  const deeper = mismatches.find((one) => !one.startsWith(start))
  return deeper ?? start + mismatches.map((one) => one.slice(start.length, -end.length)).join(', or ') + end
}

const WORDS: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  function: 'a function',
}

/** The types of a schema in words, with the bounds of a number. */
function describeType({ type = 'number', minimum, maximum }: Schema): string {
  const words = [type].flat().map((one) => WORDS[one] ?? one)
  const upTo = maximum === undefined ? '' : ` to ${maximum}`
  const bounds = minimum === undefined ? upTo : upTo === '' ? ` of ${minimum} or more` : ` from ${minimum}${upTo}`
  return words.join(' or ') + bounds
}

function checkText(
  path: string,
  { format, pattern, description = `a text that matches ${pattern}` }: Schema,
  value: string,
): string | undefined {
  if (format === 'address' && !looksLikeAddress(value)) return `${path} is an address, not ${show(value)}.`
  if (format === 'decimal' && !DECIMAL.test(value)) return `${path} is a decimal, not ${show(value)}.`
  if (pattern !== undefined && !new RegExp(pattern).test(value)) return `${path} is ${description}, not ${show(value)}.`
  return undefined
}

function checkObject(
  path: string,
  schema: Schema,
  value: Record<string, unknown>,
  check: (path: string, schema: Schema, value: unknown) => string | undefined,
): string | undefined {
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name) || value[name] === undefined)
  if (missing !== undefined) return `${join(path, missing)} is missing.`
  const { properties = {}, additionalProperties } = schema
  return first(
    Object.entries(value).map(([name, item]) => () => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (own) return item === undefined ? undefined : check(join(path, name), own, item)
      if (additionalProperties === false)
        return `${path === '' ? 'The request' : path} knows no option ${show(name)}. It takes: ${Object.keys(properties).join(', ') || 'none'}.`
      return typeof additionalProperties === 'object' ? check(join(path, name), additionalProperties, item) : undefined
    }),
  )
}

const join = (path: string, name: string) => (path === '' ? cut(name) : `${path}.${cut(name)}`)

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function first(checks: (() => string | undefined)[]): string | undefined {
  for (const one of checks) {
    const mismatch = one()
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const numberFrom0: Schema = { type: 'number', minimum: 0 }
export const numberFrom1: Schema = { type: 'integer', minimum: 1 }
export const address: Schema = { type: 'string', format: 'address' }
/** A decimal as text, or a number. */
export const amount: Schema = { type: ['string', 'number'] }
export const anyFunction: Schema = { type: 'function' }
/** An operation, by reference: the list of all is long. */
export const operation: Schema = refTo('Operation')
export const OPERATION: Schema = { type: 'string', enum: fakeOperations }

export function only(...values: (string | boolean | number)[]): Schema {
  return { type: typeof values[0], enum: values }
}

export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** One or more of a kind. */
export function oneOrMore(items: Schema): Schema {
  return { anyOf: [items, { type: 'array', items, minItems: 1 }] }
}

/** An object with these fields and no others. */
export function object(properties: Record<string, Schema>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, additionalProperties: false, ...(required.length > 0 ? { required } : {}) }
}

/** Throws an error that names the path and the allowed values. The schema refers to no other but `operation`. */
export function checkValue(path: string, schema: Schema, value: unknown): void {
  const mismatch = findMismatchWith(() => OPERATION, path, schema, value)
  if (mismatch !== undefined) throw new FakeUsageError(mismatch)
}

/**
 * The first mismatch of an answer's data with the contract, in words. It reads the OpenAPI document, not the schemas of the
 * client, so that a wrong one shows.
 */
export function findMismatch(operation: FakeOperation, data: unknown): string | undefined {
  const response = follow(at('paths', fakeRoutes[operation].path, 'get', 'responses', '200'))
  const envelope = read(response, 'content', 'application/json', 'schema')
  const schema = follow(envelope).properties?.data
  return schema && findMismatchWith(resolve, 'data', schema, data)
}

const resolve = (ref: string) => at(...ref.slice(2).split('/'))

function follow(node: unknown): Schema {
  const { $ref } = node as Schema
  return $ref === undefined ? (node as Schema) : follow(resolve($ref))
}

function at(...names: string[]): unknown {
  return read(document, ...names)
}

function read(node: unknown, ...names: string[]): unknown {
  return names.reduce((found, name) => (found as Record<string, unknown>)[name], node)
}
