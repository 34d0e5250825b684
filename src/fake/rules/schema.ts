import { fakeOperations } from './routes.ts'

// Kinds of values, as JSON schemas. `check.ts` checks with them, and the OpenAPI document of the control routes shows them.

/** The part of JSON Schema that the fake's documents use. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  /** What is allowed, for a message. @default made of the other fields */
  title?: string
  description?: string
  format?: string
  pattern?: string
  minLength?: number
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  items?: Schema
  minItems?: number
  minimum?: number
  maximum?: number
  multipleOf?: number
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
}

export const text: Schema = { type: 'string' }
export const nonEmptyText: Schema = { type: 'string', minLength: 1 }
export const flag: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const numberFrom0: Schema = { type: 'number', minimum: 0 }
export const numberFrom1: Schema = { type: 'integer', minimum: 1 }
export const address: Schema = { type: 'string', format: 'address' }
export const eip55: Schema = {
  type: 'string',
  format: 'checksum',
  title: 'an address (0x and 40 hex digits, EIP-55 if in mixed case)',
}
/** A decimal as text, or a number. */
export const amount: Schema = { type: ['string', 'number'] }
export const anyFunction: Schema = { type: 'function' }
/** An operation, by reference: the list of all is long. */
export const operation: Schema = refTo('Operation')
export const OPERATION: Schema = { type: 'string', enum: fakeOperations }

export function between(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Schema {
  return { type: 'number', minimum, maximum }
}

export function wholeBetween(minimum: number, maximum?: number): Schema {
  return { ...between(minimum, maximum), multipleOf: 1 }
}

export function only(...values: (string | boolean | number)[]): Schema {
  return { type: typeof values[0], enum: values }
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

/** An object with any names. */
export function mapOf(additionalProperties: Schema): Schema {
  return { type: 'object', additionalProperties }
}

export function oneOrMore(items: Schema): Schema {
  return { anyOf: [items, { ...listOf(items), minItems: 1 }] }
}

/** Fields that have one schema. */
export function each(schema: Schema, ...names: string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema]))
}

/** An object with all of these fields and no others. */
export function record(properties: Record<string, Schema>): Schema {
  return object(properties, Object.keys(properties))
}

/** An object with these fields and no others. */
export function object(properties: Record<string, Schema>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, additionalProperties: false, ...(required.length > 0 ? { required } : {}) }
}
