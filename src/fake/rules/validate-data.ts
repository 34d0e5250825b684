import { document } from '../../generated/document.ts'
import { looksLikeAddress } from '../../utils/address.ts'
import { show } from './check-options.ts'
import { type FakeOperation, fakeRoutes } from './routes.ts'

interface Schema {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  pattern?: string
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  items?: Schema
  minimum?: number
  enum?: readonly unknown[]
}

const DECIMAL = /^\d+(\.\d+)?$/

/**
 * The first mismatch of an answer's data with the contract, in words. It reads the OpenAPI document, not the schemas of the
 * client, so that a wrong one shows.
 */
export function findMismatch(operation: FakeOperation, data: unknown): string | undefined {
  const response = follow(at('paths', fakeRoutes[operation].path, 'get', 'responses', '200'))
  const envelope = read(response, 'content', 'application/json', 'schema') as Schema
  const schema = follow(envelope).properties?.data
  return schema && check('data', schema, data)
}

function check(path: string, given: Schema, value: unknown): string | undefined {
  const schema = follow(given)
  const types = schema.type === undefined ? undefined : [schema.type].flat()
  if (types && !types.some((type) => isOfType(type, value)))
    return `${path} is ${types.join(' or ')}, not ${show(value)}.`
  if (schema.enum && !schema.enum.includes(value))
    return `${path} is one of ${schema.enum.join(', ')}, not ${show(value)}.`
  if (typeof value === 'number' && schema.minimum !== undefined && value < schema.minimum)
    return `${path} is at least ${schema.minimum}, not ${value}.`
  if (typeof value === 'string') return checkText(path, schema, value)
  if (Array.isArray(value))
    return first(value.map((item, i) => () => schema.items && check(`${path}[${i}]`, schema.items, item)))
  if (typeof value === 'object' && value !== null) return checkObject(path, schema, value as Record<string, unknown>)
  return undefined
}

function checkText(path: string, { format, pattern }: Schema, value: string): string | undefined {
  if (format === 'address' && !looksLikeAddress(value)) return `${path} is an address, not ${show(value)}.`
  if (format === 'decimal' && !DECIMAL.test(value)) return `${path} is a decimal, not ${show(value)}.`
  if (pattern !== undefined && !new RegExp(pattern).test(value))
    return `${path} matches ${pattern}, not ${show(value)}.`
  return undefined
}

function checkObject(path: string, schema: Schema, value: Record<string, unknown>): string | undefined {
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${path}.${missing} is missing.`
  const { properties = {}, additionalProperties } = schema
  return first(
    Object.entries(value).map(([name, item]) => () => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (own) return check(`${path}.${name}`, own, item)
      return typeof additionalProperties === 'object' ? check(`${path}.${name}`, additionalProperties, item) : undefined
    }),
  )
}

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

function follow(node: unknown): Schema {
  const { $ref } = node as Schema
  return $ref === undefined ? (node as Schema) : follow(at(...$ref.slice(2).split('/')))
}

function at(...names: string[]): unknown {
  return read(document, ...names)
}

function read(node: unknown, ...names: string[]): unknown {
  return names.reduce((found, name) => (found as Record<string, unknown>)[name], node)
}
