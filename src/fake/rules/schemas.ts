import { FakeUsageError } from './check-options.ts'
import { findMismatchWith, type Schema } from './check-schema.ts'
import { fakeOperations } from './routes.ts'

export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number' }
export const count: Schema = { type: 'integer', minimum: 0 }
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
