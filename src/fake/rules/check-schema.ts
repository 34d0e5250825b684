import { looksLikeAddress } from '../../utils/address.ts'
import { cut, show } from './check-options.ts'

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
  const types = type === undefined ? undefined : [type].flat()
  if (types && !types.some((one) => isOfType(one, value)))
    return `${path} is ${types.join(' or ')}, not ${show(value)}.`
  if (anyOf)
    return mismatchOfAll(
      path,
      anyOf.map((one) => () => next(path, one, value)),
    )
  if (given.enum && !given.enum.includes(value))
    return `${path} is one of ${given.enum.join(', ')}, not ${show(value)}.`
  if (typeof value === 'number') return checkNumber(path, given, value)
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
function mismatchOfAll(path: string, forms: (() => string | undefined)[]): string | undefined {
  const mismatches: string[] = []
  for (const form of forms) {
    const mismatch = form()
    if (mismatch === undefined) return undefined
    mismatches.push(mismatch)
  }
  return mismatches.find((one) => !one.startsWith(`${path} is `)) ?? mismatches.join(' Or: ')
}

function checkNumber(path: string, { minimum, maximum }: Schema, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `${path} is at least ${minimum}, not ${value}.`
  if (maximum !== undefined && value > maximum) return `${path} is at most ${maximum}, not ${value}.`
  return undefined
}

function checkText(path: string, { format, pattern }: Schema, value: string): string | undefined {
  if (format === 'address' && !looksLikeAddress(value)) return `${path} is an address, not ${show(value)}.`
  if (format === 'decimal' && !DECIMAL.test(value)) return `${path} is a decimal, not ${show(value)}.`
  if (pattern !== undefined && !new RegExp(pattern).test(value))
    return `${path} matches ${pattern}, not ${show(value)}.`
  return undefined
}

function checkObject(
  path: string,
  schema: Schema,
  value: Record<string, unknown>,
  check: (path: string, schema: Schema, value: unknown) => string | undefined,
): string | undefined {
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${join(path, missing)} is missing.`
  const { properties = {}, additionalProperties } = schema
  return first(
    Object.entries(value).map(([name, item]) => () => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (own) return check(join(path, name), own, item)
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
