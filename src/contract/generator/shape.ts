/** A JSON schema of the contract, as one of the few forms that the generator turns into types and checks. */
export type Shape =
  /**
   * One of some types of JSON. In place of `integer`, `unixSeconds` is a moment that a Date can hold; in place of `string`, a text with a pattern
   * has the name of its format, in camel case.
   */
  | { kind: 'primitive'; types: readonly string[]; format?: { name: string; pattern: string } }
  | { kind: 'ref'; name: string }
  | { kind: 'array'; items: Shape }
  | { kind: 'object'; fields: readonly Field[] }
  | { kind: 'record'; values: Shape }
  | { kind: 'openEnum'; values: readonly string[] }
  | { kind: 'nullable'; of: Shape }

export interface Field {
  name: string
  shape: Shape
  required: boolean
  evidence: string
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
const PRIMITIVES = ['string', 'number', 'integer', 'boolean', 'object', 'null']
const GRADES = ['documented', 'observed', 'inferred', 'assumed']
const REF = '#/components/schemas/'

/** @throws ContractError at an unknown keyword, an unknown form or a field without a grade. */
export function readShape(schema: unknown, place: string): Shape {
  const node = readNode(schema, place, KEYWORDS, 'schema keyword')
  if (typeof node.$ref === 'string') return readRef(node.$ref, place)
  if (node.anyOf !== undefined) return { kind: 'nullable', of: readNullableRef(node.anyOf, place) }
  const types = [node.type ?? []].flat().map(String)
  check(types.length > 0, place, 'no type')
  const others = types.filter((type) => type !== 'null')
  // Null alone is a type like others.
  if (others.length === types.length || others.length === 0) return readForm(node, types, place)
  const isObject = node.properties !== undefined || node.additionalProperties !== undefined
  check(!isObject, place, 'an object that may be null must be a $ref in anyOf')
  return { kind: 'nullable', of: readForm(node, others, place) }
}

function readForm(node: Node, types: readonly string[], place: string): Shape {
  const values = node['x-open-enum']
  if (types.includes('array')) return { kind: 'array', items: readShape(node.items, `${place}.items`) }
  if (values !== undefined) return { kind: 'openEnum', values: list(values, `${place}.x-open-enum`).map(String) }
  if (node.properties !== undefined) return { kind: 'object', fields: readFields(node, place) }
  if (node.additionalProperties !== undefined)
    return { kind: 'record', values: readShape(node.additionalProperties, `${place}.additionalProperties`) }
  for (const type of types) check(PRIMITIVES.includes(type), place, `unknown type "${type}"`)
  const { format, pattern } = node
  const replaced = (type: string, name: string) => types.map((one) => (one === type ? name : one))
  if (format === 'unix-seconds') return { kind: 'primitive', types: replaced('integer', 'unixSeconds') }
  if (format === undefined && pattern === undefined) return { kind: 'primitive', types }
  const isText = typeof format === 'string' && typeof pattern === 'string' && types.includes('string')
  check(isText, place, 'a text has a format and its pattern, or neither')
  const name = format.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return { kind: 'primitive', types: replaced('string', name), format: { name, pattern } }
}

/** The pattern of each format of texts, by its name. @throws ContractError where one format has two */
export function patternsOf(shapes: readonly NamedShape[]): ReadonlyMap<string, string> {
  const patterns = new Map<string, string>()
  for (const { name: owner, shape } of shapes) {
    for (const part of partsOf(shape)) {
      if (part.kind !== 'primitive' || part.format === undefined) continue
      const { name, pattern } = part.format
      const isSame = (patterns.get(name) ?? pattern) === pattern
      check(isSame, `components.schemas.${owner}`, `the format "${name}" has another pattern elsewhere`)
      patterns.set(name, pattern)
    }
  }
  return patterns
}

function readFields(node: Node, place: string): Field[] {
  const required = new Set(Array.isArray(node.required) ? node.required.map(String) : [])
  const properties = asNode(node.properties, `${place}.properties`)
  for (const name of required) check(name in properties, place, `required field "${name}" is not described`)
  return Object.entries(properties).map(([name, schema]) => {
    const fieldPlace = `${place}.properties.${name}`
    const property = asNode(schema, fieldPlace)
    const evidence = text(property['x-evidence'])
    check(GRADES.includes(evidence), fieldPlace, `x-evidence is missing or not one of ${GRADES.join(', ')}`)
    const shape = readShape(property, fieldPlace)
    const description = text(property.description)
    const field: Field = { name, shape, required: required.has(name), evidence, description }
    checkGrade(field, property['x-may-be-absent'], fieldPlace)
    return field
  })
}

/** Documented and observed fields are required; inferred and assumed ones are optional and nullable. */
function checkGrade({ evidence, required, shape }: Field, mayBeAbsent: unknown, place: string): void {
  if (evidence === 'documented' || evidence === 'observed') {
    const isSaid = required || typeof mayBeAbsent === 'string'
    check(isSaid, place, `${evidence}, so it is required, or x-may-be-absent says why not`)
    return
  }
  check(!required, place, `${evidence}, so it cannot be required`)
  check(shape.kind === 'nullable', place, `${evidence}, so it must be nullable`)
}

function readNullableRef(anyOf: unknown, place: string): Shape {
  const [ref, none, ...rest] = Array.isArray(anyOf) ? anyOf : []
  const target = asNode(ref, `${place}.anyOf.0`).$ref
  const isNullableRef = typeof target === 'string' && none?.type === 'null' && rest.length === 0
  check(isNullableRef, place, 'anyOf is only understood as a $ref or null')
  return readRef(target, place)
}

function readRef(ref: string, place: string): Shape {
  check(ref.startsWith(REF), place, `$ref "${ref}" does not start with ${REF}`)
  return { kind: 'ref', name: ref.slice(REF.length) }
}

export function refsOf(shape: Shape): string[] {
  return partsOf(shape).flatMap((part) => (part.kind === 'ref' ? [part.name] : []))
}

/** A shape and what it is made of, without what it refers to. */
export function partsOf(shape: Shape): Shape[] {
  switch (shape.kind) {
    case 'array':
      return [shape, ...partsOf(shape.items)]
    case 'record':
      return [shape, ...partsOf(shape.values)]
    case 'nullable':
      return [shape, ...partsOf(shape.of)]
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

export function check(isRight: boolean, place: string, problem: string): asserts isRight {
  if (!isRight) throw new ContractError(place, problem)
}

export type Node = Record<string, unknown>

export function asNode(value: unknown, place: string): Node {
  check(typeof value === 'object' && value !== null && !Array.isArray(value), place, 'not an object')
  return value as Node
}

/** An object with these keys and no others: an unread key would be a rule that is not enforced. */
export function readNode(value: unknown, place: string, known: readonly string[], what = 'key'): Node {
  const node = asNode(value, place)
  for (const key of Object.keys(node)) check(known.includes(key), place, `unknown ${what} "${key}"`)
  return node
}

/** `true` or absent. */
export function readFlag(node: Node, key: string, place: string): boolean {
  check(node[key] === undefined || node[key] === true, `${place}.${key}`, 'must be true or absent')
  return node[key] === true
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

export function list(value: unknown, place: string): unknown[] {
  if (value === undefined) return []
  check(Array.isArray(value), place, 'not a list')
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
