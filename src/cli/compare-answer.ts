import type { Contract, Schema } from './contract.ts'

/** A place where an answer is not what the contract says. It names types, never values. */
export interface Difference {
  readonly kind: 'missing' | 'new' | 'type'
  /** The place, such as `data[].symbol`; `*` stands for an address. */
  readonly path: string
  readonly message: string
}

/** What an answer shows. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /** Fields that are less than observed, and that were there with the right type: their grade can be raised. */
  readonly confirmed: readonly string[]
  /** Fields that were null, absent although that is allowed, or in an empty list. */
  readonly notSeen: readonly string[]
}

/** Compares an answer with its schema, field by field. Equal places of several items count once. */
export function compareAnswer(contract: Contract, operation: string, body: unknown): Comparison {
  const differences = new Map<string, Difference>()
  const confirmed = new Set<string>()
  const notSeen = new Set<string>()
  const differ = (kind: Difference['kind'], path: string, message: string) =>
    void differences.set(`${kind} ${path}`, { kind, path, message })

  function visit(given: Schema, value: unknown, path: string): void {
    const schema = contract.resolve(given)
    const options = schema.anyOf?.map(contract.resolve) ?? [schema]
    if (!options.some((option) => hasType(option, value))) {
      const expected = options.flatMap(({ type = [] }) => type).join(' or ')
      differ('type', path, `${expected}${describeRule(schema)} expected, ${typeOf(value)} found`)
      return
    }
    const isWeak = ['assumed', 'inferred'].includes(given['x-evidence'] ?? '')
    if (isWeak) (value === null ? notSeen : confirmed).add(path)
    if (Array.isArray(value)) visitItems(schema, value, path)
    else if (typeof value === 'object' && value !== null) visitFields(schema, value as Record<string, unknown>, path)
  }

  function visitItems({ items }: Schema, list: readonly unknown[], path: string): void {
    if (list.length === 0) notSeen.add(`${path}[]`)
    if (items) for (const item of list) visit(items, item, `${path}[]`)
  }

  function visitFields(schema: Schema, fields: Record<string, unknown>, path: string): void {
    const { properties, additionalProperties, required = [] } = schema
    if (properties === undefined) {
      if (typeof additionalProperties !== 'object') return
      if (Object.keys(fields).length === 0) notSeen.add(`${path}.*`)
      for (const value of Object.values(fields)) visit(additionalProperties, value, `${path}.*`)
      return
    }
    for (const [name, property] of Object.entries(properties)) {
      const place = path === '' ? name : `${path}.${name}`
      if (Object.hasOwn(fields, name)) visit(property, fields[name], place)
      else if (required.includes(name)) differ('missing', place, 'a required field is absent')
      else if (property['x-may-be-absent'] !== undefined || property['x-evidence'] === 'observed') notSeen.add(place)
      else differ('missing', place, `absent; its grade is ${property['x-evidence'] ?? 'not stated'}`)
    }
    for (const name of Object.keys(fields).filter((key) => !Object.hasOwn(properties, key))) {
      // A name may be a value: addresses are keys elsewhere.
      const shown = name.replace(/0x[0-9a-f]{40}/gi, '*').slice(0, MAX_NAME)
      const place = path === '' ? shown : `${path}.${shown}`
      differ('new', place, `${typeOf(fields[name])} that the contract does not have`)
    }
  }

  visit(contract.answerOf(operation), body, '')
  const failed = new Set([...differences.values()].map(({ path }) => path))
  return {
    differences: [...differences.values()],
    confirmed: [...confirmed].filter((path) => !failed.has(path)),
    notSeen: [...notSeen].filter((path) => !confirmed.has(path) && !failed.has(path)),
  }
}

const MAX_NAME = 60
const DECIMAL = /^-?\d+(\.\d+)?$/

function hasType({ type, format, pattern, enum: values }: Schema, value: unknown): boolean {
  const types = type === undefined ? [] : [type].flat()
  const found = typeOf(value)
  if (types.length > 0 && !types.includes(found) && !(found === 'integer' && types.includes('number'))) return false
  if (typeof value === 'string' && format === 'decimal' && !DECIMAL.test(value)) return false
  if (typeof value === 'string' && pattern !== undefined && !new RegExp(pattern).test(value)) return false
  return values === undefined || values.includes(value)
}

function describeRule({ format, pattern, enum: values }: Schema): string {
  if (values !== undefined) return ` of ${values.join(', ')}`
  return format !== undefined ? ` (${format})` : pattern !== undefined ? ` like ${pattern}` : ''
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
