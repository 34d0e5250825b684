import { operations } from 'etn-market'
import { createFakeService } from 'etn-market/fake'

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

/** A schema of the contract. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  /** How well the field is known. */
  readonly 'x-evidence'?: string
  /** Why it may be absent although it was observed. */
  readonly 'x-may-be-absent'?: string
}

/** The OpenAPI document of this version, with its references resolved where they are looked up. */
export interface Contract {
  readonly document: unknown
  /** The schema of the answer, its envelope included. */
  answerOf(operation: string): Schema
  resolve(schema: Schema): Schema
}

/** The contract as the fake service answers it. */
export async function readContract(): Promise<Contract> {
  await using fake = createFakeService()
  const body = (await (await fake.fetch(`${fake.baseUrl}/openapi.json`)).json()) as { data?: unknown }
  const document = body.data ?? body
  const at = (path: readonly string[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema
    const { $ref, ...own } = schema
    return { ...resolve(at($ref.slice(2).split('/')) as Schema), ...own }
  }
  return {
    document,
    resolve,
    answerOf(operation) {
      const { path } = operations[operation as keyof typeof operations]
      const response = resolve(at(['paths', path, 'get', 'responses', '200']) as Schema) as unknown as {
        content: Record<string, { schema: Schema }>
      }
      return resolve(response.content['application/json']?.schema ?? {})
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Where the service's OpenAPI document differs from ours: operations, parameters and limits, by method and path. */
export function compareOpenApi(ours: unknown, theirs: unknown): string[] {
  const [known, found] = [readOperations(ours), readOperations(theirs)]
  const differences: string[] = []
  for (const [name, parameters] of known) {
    const other = found.get(name)
    if (other === undefined) differences.push(`${name} is missing in the service's document`)
    else differences.push(...compareParameters(name, parameters, other))
  }
  for (const name of found.keys()) if (!known.has(name)) differences.push(`${name} is new in the service's document`)
  return differences
}

/** Maximum of a parameter; undefined if it has none. */
type Parameters = ReadonlyMap<string, unknown>

function compareParameters(operation: string, known: Parameters, found: Parameters): string[] {
  const missing = [...known.keys()]
    .filter((name) => !found.has(name))
    .map((name) => `${operation}: parameter ${name} is missing`)
  const added = [...found.keys()]
    .filter((name) => !known.has(name))
    .map((name) => `${operation}: parameter ${name} is new`)
  const changed = [...known].flatMap(([name, maximum]) => {
    const other = found.get(name)
    // A document that states no limit contradicts none.
    return maximum === undefined || other === undefined || other === maximum
      ? []
      : [`${operation}: ${name} is at most ${String(other)}, not ${String(maximum)}`]
  })
  return [...missing, ...added, ...changed]
}

/** The query parameters of each operation. Names of path parameters do not matter. */
function readOperations(document: unknown): Map<string, Parameters> {
  const operations = new Map<string, Parameters>()
  for (const [path, item] of Object.entries(fieldsOf(fieldsOf(document).paths))) {
    for (const [method, operation] of Object.entries(fieldsOf(item))) {
      if (!/^(get|put|post|delete|patch|head|options)$/.test(method)) continue
      const listed = [fieldsOf(item).parameters, fieldsOf(operation).parameters].flatMap((list) =>
        Array.isArray(list) ? list : [],
      )
      const query = listed.map((one) => resolve(document, one)).filter((parameter) => parameter.in === 'query')
      const parameters = query.map((parameter): [string, unknown] => {
        const schema = resolve(document, parameter.schema)
        return [String(parameter.name), schema.maximum ?? schema.maxItems]
      })
      const name = `${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}').replace(/^\/(?:public-api\/)?v1\//, '/')}`
      operations.set(name, new Map(parameters))
    }
  }
  return operations
}

function resolve(document: unknown, value: unknown): Fields {
  const fields = fieldsOf(value)
  if (typeof fields.$ref !== 'string') return fields
  const path = fields.$ref.replace(/^#\//, '').split('/')
  return fieldsOf(path.reduce<unknown>((at, key) => fieldsOf(at)[key], document))
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
