import { operations } from 'etn-market'
import { createFakeService } from 'etn-market/fake'

/** Names types, never values. The path is such as `data[].symbol`; `*` stands for an address. */
type Difference = Readonly<Record<'path' | 'message', string>> & { readonly kind: 'missing' | 'new' | 'type' }

interface Schema {
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
  readonly 'x-evidence'?: string
  /** Why it may be absent although it was observed. */
  readonly 'x-may-be-absent'?: string
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

/** What a value of a document is, or what its `$ref` leads to. */
function resolve(document: unknown, value: unknown): Fields {
  const { $ref, ...own } = fieldsOf(value)
  if (typeof $ref !== 'string') return own
  const target = readPath(document, $ref.replace(/^#\//, '').split('/'))
  return { ...resolve(document, target), ...own }
}

function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at, key) => fieldsOf(at)[key], value)
}

/** The OpenAPI document of this version, as the fake service answers it. */
export async function readContract(): Promise<unknown> {
  await using fake = createFakeService()
  const body = fieldsOf(await (await fake.fetch(`${fake.baseUrl}/openapi.json`)).json())
  return body.data ?? body
}

/** Compares an answer, its envelope included, with its schema, field by field. Equal places of several items count once. */
export function compareAnswer(contract: unknown, operation: keyof typeof operations, body: unknown) {
  const differences = new Map<string, Difference>()
  const confirmed = new Set<string>()
  const notSeen = new Set<string>()
  const differ = (kind: Difference['kind'], path: string, message: string) =>
    void differences.set(`${kind} ${path}`, { kind, path, message })
  const schemaOf = (value: unknown): Schema => resolve(contract, value)

  function visit(given: unknown, value: unknown, path: string): void {
    const schema = schemaOf(given)
    const options = schema.anyOf?.map(schemaOf) ?? [schema]
    if (!options.some((option) => hasType(option, value))) {
      const expected = options.flatMap(({ type = [] }) => type).join(' or ')
      differ('type', path, `${expected}${describeRule(schema)} expected, ${typeOf(value)} found`)
      return
    }
    const isWeak = ['assumed', 'inferred'].includes(schema['x-evidence'] ?? '')
    if (isWeak) (value === null ? notSeen : confirmed).add(path)
    if (Array.isArray(value)) {
      if (value.length === 0) notSeen.add(`${path}[]`)
      if (schema.items) for (const item of value) visit(schema.items, item, `${path}[]`)
    } else if (typeOf(value) === 'object') visitFields(schema, value as Fields, path)
  }

  function visitFields(schema: Schema, fields: Fields, path: string): void {
    const { properties, additionalProperties, required = [] } = schema
    if (properties === undefined) {
      if (typeof additionalProperties !== 'object') return
      if (Object.keys(fields).length === 0) notSeen.add(`${path}.*`)
      for (const value of Object.values(fields)) visit(additionalProperties, value, `${path}.*`)
      return
    }
    const placeOf = (name: string) => (path === '' ? name : `${path}.${name}`)
    for (const [name, property] of Object.entries(properties)) {
      const place = placeOf(name)
      if (Object.hasOwn(fields, name)) visit(property, fields[name], place)
      else if (required.includes(name)) differ('missing', place, 'a required field is absent')
      else if (property['x-may-be-absent'] !== undefined || property['x-evidence'] === 'observed') notSeen.add(place)
      else differ('missing', place, `absent; its grade is ${property['x-evidence'] ?? 'not stated'}`)
    }
    for (const name of Object.keys(fields).filter((key) => !Object.hasOwn(properties, key))) {
      // A name may be a value: addresses are keys elsewhere.
      const shown = name.replace(/0x[0-9a-f]{40}/gi, '*').slice(0, MAX_NAME)
      differ('new', placeOf(shown), `${typeOf(fields[name])} that the contract does not have`)
    }
  }

  const answer = readPath(contract, ['paths', operations[operation].path, 'get', 'responses', '200'])
  const response = resolve(contract, answer)
  visit(readPath(response, ['content', 'application/json', 'schema']), body, '')
  const failed = new Set([...differences.values()].map(({ path }) => path))
  return {
    differences: [...differences.values()],
    confirmed: [...confirmed].filter((place) => !failed.has(place)),
    notSeen: [...notSeen].filter((place) => !confirmed.has(place) && !failed.has(place)),
  }
}

const MAX_NAME = 60

function hasType({ type, pattern, enum: values }: Schema, value: unknown): boolean {
  const types = type === undefined ? [] : [type].flat()
  const found = typeOf(value)
  if (types.length > 0 && !types.includes(found) && !(found === 'integer' && types.includes('number'))) return false
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

/** Where the service's OpenAPI document differs from ours: operations, parameters and limits, by method and path. */
export function compareOpenApi(ours: unknown, theirs: unknown): string[] {
  const [known, found] = [readOperations(ours), readOperations(theirs)]
  return [
    ...[...known].flatMap(([name, parameters]) => {
      const other = found.get(name)
      return other ? compareParameters(name, parameters, other) : [`${name} is missing in the service's document`]
    }),
    ...missingIn(known, found).map((name) => `${name} is new in the service's document`),
  ]
}

/** The largest value of each query parameter; undefined if it has none. */
type Parameters = ReadonlyMap<string, unknown>

const missingIn = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): string[] =>
  [...other.keys()].filter((name) => !one.has(name))

function compareParameters(operation: string, known: Parameters, found: Parameters): string[] {
  const changed = [...known].filter(([name, maximum]) => {
    const other = found.get(name)
    // A document that states no limit contradicts none.
    return maximum !== undefined && other !== undefined && other !== maximum
  })
  return [
    ...missingIn(found, known).map((name) => `${operation}: parameter ${name} is missing`),
    ...missingIn(known, found).map((name) => `${operation}: parameter ${name} is new`),
    ...changed.map(([name, maximum]) => `${operation}: ${name} is at most ${found.get(name)}, not ${maximum}`),
  ]
}

/** The query parameters of each operation. Names of path parameters do not matter. */
function readOperations(document: unknown): Map<string, Parameters> {
  const operations = new Map<string, Parameters>()
  for (const [path, item] of Object.entries(fieldsOf(fieldsOf(document).paths)))
    for (const [method, operation] of Object.entries(fieldsOf(item))) {
      if (!/^(get|put|post|delete|patch|head|options)$/.test(method)) continue
      const listed = [fieldsOf(item).parameters, fieldsOf(operation).parameters].filter(Array.isArray).flat()
      const query = listed.map((one) => resolve(document, one)).filter((parameter) => parameter.in === 'query')
      const name = `${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}').replace(/^\/(?:public-api\/)?v1\//, '/')}`
      const parameters = query.map((parameter): [string, unknown] => {
        const schema = resolve(document, parameter.schema)
        return [String(parameter.name), schema.maximum ?? schema.maxItems]
      })
      operations.set(name, new Map(parameters))
    }
  return operations
}
