/** A JSON schema of the contract, as one of the few forms that the generator turns into types and checks. */
export type Shape =
  | { kind: 'primitive'; types: readonly Primitive[]; isUnixSeconds?: boolean; text?: TextFormat }
  | { kind: 'ref'; name: string; nullable: boolean }
  | { kind: 'array'; items: Shape; nullable: boolean }
  | { kind: 'object'; fields: readonly Field[] }
  | { kind: 'record'; values: Shape }
  | { kind: 'openEnum'; values: readonly string[]; nullable: boolean }

export type Primitive = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'null'
/** A format of texts, in camel case, and the pattern that they match. */
export interface TextFormat {
  readonly name: string
  readonly pattern: string
}
/**
 * The types that are checked. `unixSeconds` is an integer of the format `unix-seconds`: a moment that a Date can hold. A text with a pattern
 * has the name of its format.
 */
export type CheckedType = string
export type Evidence = 'documented' | 'observed' | 'inferred' | 'assumed'

export interface Field {
  name: string
  shape: Shape
  required: boolean
  evidence: Evidence
  description: string
}

export interface NamedShape {
  name: string
  description: string
  shape: Shape
}

const KEYWORDS = [
  'type',
  'description',
  'format',
  'pattern',
  'required',
  'properties',
  'items',
  'additionalProperties',
  'anyOf',
  '$ref',
  'examples',
  'x-evidence',
  'x-open-enum',
  'x-may-be-absent',
]
const PRIMITIVES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'null'])
const GRADES = new Set(['documented', 'observed', 'inferred', 'assumed'])
const REF = '#/components/schemas/'

/** @throws ContractError at an unknown keyword, an unknown form or a field without a grade. */
export function readShape(schema: unknown, place: string): Shape {
  const node = readNode(schema, place, KEYWORDS, 'schema keyword')
  if (typeof node.$ref === 'string') return { kind: 'ref', name: refName(node.$ref, place), nullable: false }
  if (node.anyOf !== undefined) return readNullableRef(node.anyOf, place)
  const types = readTypes(node.type, place)
  const nullable = types.includes('null')
  if (types.includes('array')) {
    return { kind: 'array', items: readShape(node.items, `${place}.items`), nullable }
  }
  if (node['x-open-enum'] !== undefined) {
    return { kind: 'openEnum', values: list(node['x-open-enum'], `${place}.x-open-enum`).map(String), nullable }
  }
  if (node.additionalProperties !== undefined || node.properties !== undefined) {
    if (nullable) throw new ContractError(place, 'an object that may be null must be a $ref in anyOf')
    if (node.properties !== undefined) return { kind: 'object', fields: readFields(node, place) }
    return { kind: 'record', values: readShape(node.additionalProperties, `${place}.additionalProperties`) }
  }
  for (const type of types) {
    if (!PRIMITIVES.has(type)) throw new ContractError(place, `unknown type "${type}"`)
  }
  const isUnixSeconds = node.format === 'unix-seconds'
  const text = isUnixSeconds ? undefined : readTextFormat(node, types, place)
  return {
    kind: 'primitive',
    types: types as Primitive[],
    ...(isUnixSeconds && { isUnixSeconds }),
    ...(text && { text }),
  }
}

function readTextFormat({ format, pattern }: Node, types: readonly string[], place: string): TextFormat | undefined {
  if (format === undefined && pattern === undefined) return undefined
  if (typeof format !== 'string' || typeof pattern !== 'string' || !types.includes('string'))
    throw new ContractError(place, 'a text has a format and its pattern, or neither')
  return { name: format.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()), pattern }
}

/** The pattern of each format of texts, by its name. @throws ContractError where one format has two */
export function patternsOf(shapes: readonly NamedShape[]): ReadonlyMap<string, string> {
  const patterns = new Map<string, string>()
  for (const { name: owner, shape } of shapes) {
    for (const part of partsOf(shape)) {
      if (part.kind !== 'primitive' || part.text === undefined) continue
      const { name, pattern } = part.text
      if ((patterns.get(name) ?? pattern) !== pattern)
        throw new ContractError(`components.schemas.${owner}`, `the format "${name}" has another pattern elsewhere`)
      patterns.set(name, pattern)
    }
  }
  return patterns
}

export function checkedTypes({ types, isUnixSeconds, text }: Shape & { kind: 'primitive' }): CheckedType[] {
  return types.map((type) => {
    if (type === 'integer' && isUnixSeconds) return 'unixSeconds'
    return type === 'string' && text ? text.name : type
  })
}

function readFields(node: Node, place: string): Field[] {
  const required = new Set(Array.isArray(node.required) ? node.required.map(String) : [])
  const properties = asNode(node.properties, `${place}.properties`)
  for (const name of required) {
    if (!(name in properties)) throw new ContractError(place, `required field "${name}" is not described`)
  }
  return Object.entries(properties).map(([name, schema]) => {
    const fieldPlace = `${place}.properties.${name}`
    const property = asNode(schema, fieldPlace)
    const evidence = property['x-evidence']
    if (typeof evidence !== 'string' || !GRADES.has(evidence)) {
      throw new ContractError(fieldPlace, `x-evidence is missing or not one of ${[...GRADES].join(', ')}`)
    }
    const field: Field = {
      name,
      shape: readShape(property, fieldPlace),
      required: required.has(name),
      evidence: evidence as Evidence,
      description: text(property.description),
    }
    checkGrade(field, property['x-may-be-absent'], fieldPlace)
    return field
  })
}

/** Documented and observed fields are required; inferred and assumed ones are optional and nullable. */
function checkGrade(field: Field, mayBeAbsent: unknown, place: string): void {
  const certain = field.evidence === 'documented' || field.evidence === 'observed'
  if (certain && !field.required && typeof mayBeAbsent !== 'string') {
    throw new ContractError(place, `${field.evidence}, so it is required, or x-may-be-absent says why not`)
  }
  if (!certain && field.required) throw new ContractError(place, `${field.evidence}, so it cannot be required`)
  if (!certain && !isNullable(field.shape)) throw new ContractError(place, `${field.evidence}, so it must be nullable`)
}

function isNullable(shape: Shape): boolean {
  if (shape.kind === 'primitive') return shape.types.includes('null')
  return 'nullable' in shape && shape.nullable
}

function readNullableRef(anyOf: unknown, place: string): Shape {
  const [ref, none, ...rest] = Array.isArray(anyOf) ? anyOf : []
  const target = asNode(ref, `${place}.anyOf.0`).$ref
  if (typeof target !== 'string' || none?.type !== 'null' || rest.length > 0) {
    throw new ContractError(place, 'anyOf is only understood as a $ref or null')
  }
  return { kind: 'ref', name: refName(target, place), nullable: true }
}

function readTypes(type: unknown, place: string): string[] {
  const types = Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : []
  if (types.length === 0) throw new ContractError(place, 'no type')
  return types
}

function refName(ref: string, place: string): string {
  if (!ref.startsWith(REF)) throw new ContractError(place, `$ref "${ref}" does not start with ${REF}`)
  return ref.slice(REF.length)
}

export function refsOf(shape: Shape): string[] {
  return partsOf(shape).flatMap((part) => (part.kind === 'ref' ? [part.name] : []))
}

/** A shape and what it is made of, without what it refers to. */
function partsOf(shape: Shape): Shape[] {
  switch (shape.kind) {
    case 'array':
      return [shape, ...partsOf(shape.items)]
    case 'record':
      return [shape, ...partsOf(shape.values)]
    case 'object':
      return [shape, ...shape.fields.flatMap((field) => partsOf(field.shape))]
    default:
      return [shape]
  }
}

/** The contract has something that the generator does not understand; the message names the place. */
export class ContractError extends Error {
  override get name(): string {
    return 'ContractError'
  }
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`)
  }
}

export type Node = Record<string, unknown>

export function asNode(value: unknown, place: string): Node {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ContractError(place, 'not an object')
  return value as Node
}

/** An object with these keys and no others: an unread key would be a rule that is not enforced. */
export function readNode(value: unknown, place: string, known: readonly string[], what = 'key'): Node {
  const node = asNode(value, place)
  const unknown = Object.keys(node).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new ContractError(place, `unknown ${what} "${unknown}"`)
  return node
}

/** `true` or absent. */
export function readFlag(node: Node, key: string, place: string): boolean {
  if (node[key] !== undefined && node[key] !== true)
    throw new ContractError(`${place}.${key}`, 'must be true or absent')
  return node[key] === true
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

export function list(value: unknown, place: string): unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new ContractError(place, 'not a list')
  return value
}

/** The target of a `$ref` and its place; a node without a `$ref` is returned as it is. */
export function follow(document: Node, value: unknown, place: string): { node: Node; place: string } {
  const { $ref } = asNode(value, place)
  if (typeof $ref !== 'string') return { node: asNode(value, place), place }
  const steps = $ref.replace(/^#\//, '').split('/')
  let target: unknown = document
  for (const step of steps) target = asNode(target, `${place} -> ${$ref}`)[step]
  return { node: asNode(target, `${place} -> ${$ref}`), place: steps.join('.') }
}
