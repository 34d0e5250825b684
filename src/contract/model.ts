import { parse } from 'yaml'
import { asNode, ContractError, type NamedShape, readShape, type Shape, text } from './shape.ts'

/** The contract as the emitters read it. */
export interface Model {
  document: Record<string, unknown>
  groups: ReadonlyMap<string, string>
  shapes: readonly NamedShape[]
  operations: readonly OperationModel[]
}

export interface OperationModel {
  id: string
  group: string
  action: string
  path: string
  summary: string
  description: string
  credits: Credits | null
  heavy: boolean
  needsKey: boolean
  /** The field that tells a bare answer from the envelope, where the service may send either. */
  bareField: string | null
  params: readonly ParamModel[]
  envelope: Shape
  data: Shape
}

export interface Credits {
  base: number
  perItem: number
  items: string | null
  maxItems: number
}

export interface ParamModel {
  name: string
  in: 'path' | 'query'
  required: boolean
  description: string
  type: ParamType
}

export type ParamType =
  | { kind: 'chain'; id: number }
  | { kind: 'address' }
  | { kind: 'addresses' }
  | { kind: 'limit'; max: number }
  | { kind: 'choice'; values: readonly (string | number)[]; anyCase: boolean }

const OPERATION_KEYS = new Set([
  'operationId',
  'tags',
  'summary',
  'description',
  'x-credits',
  'x-free',
  'x-heavy',
  'x-may-be-bare',
  'parameters',
  'responses',
  'security',
])
const PARAM_KEYWORDS = new Set(['$ref', 'type', 'const', 'enum', 'minimum', 'maximum', 'minItems', 'maxItems', 'items'])

/** Reads the contract; anything it does not understand stops it with a message that names the place. */
export function readModel(yaml: string): Model {
  const document = asNode(parse(yaml), 'openapi.yaml')
  const components = asNode(document.components, 'components')
  const schemas = Object.entries(asNode(components.schemas, 'components.schemas'))
  const shapes = schemas
    .filter(([name]) => name !== 'Address')
    .map(([name, schema]) => {
      const place = `components.schemas.${name}`
      return { name, description: text(asNode(schema, place).description), shape: readShape(schema, place) }
    })
  const operations = Object.entries(asNode(document.paths, 'paths')).map(([path, item]) =>
    readOperation(document, path, asNode(asNode(item, `paths.${path}`).get, `paths.${path}.get`)),
  )
  const tags = Array.isArray(document.tags) ? document.tags.map((tag) => asNode(tag, 'tags')) : []
  return { document, groups: new Map(tags.map((tag) => [text(tag.name), text(tag.description)])), shapes, operations }
}

function readOperation(document: object, path: string, node: Record<string, unknown>): OperationModel {
  const place = `paths.${path}.get`
  for (const key of Object.keys(node)) {
    if (!OPERATION_KEYS.has(key)) throw new ContractError(place, `unknown key "${key}"`)
  }
  const id = text(node.operationId)
  const [group = '', action = ''] = id.split('.')
  if (group === '' || action === '') throw new ContractError(place, `operationId "${id}" is not group.action`)
  const ok = follow(document, asNode(node.responses, `${place}.responses`)['200'], `${place}.responses.200`)
  const content = asNode(asNode(ok.content, `${place}.responses.200.content`)['application/json'], `${place}.content`)
  const envelope = readShape(content.schema, `${place}.responses.200.schema`)
  const data = envelope.kind === 'object' ? envelope.fields.find((field) => field.name === 'data')?.shape : undefined
  if (data === undefined) throw new ContractError(place, 'the answer has no "data"')
  return {
    id,
    group,
    action,
    path,
    summary: text(node.summary),
    description: text(node.description),
    credits: readCredits(node, ok, place),
    heavy: node['x-heavy'] === true,
    needsKey: !(Array.isArray(node.security) && node.security.length === 0),
    bareField: text(node['x-may-be-bare']) || null,
    params: (Array.isArray(node.parameters) ? node.parameters : []).map((param, index) =>
      readParam(document, param, `${place}.parameters.${index}`),
    ),
    envelope,
    data,
  }
}

function readCredits(node: Record<string, unknown>, ok: Record<string, unknown>, place: string): Credits | null {
  const metered = Object.keys(asNode(ok.headers ?? {}, `${place}.headers`)).includes('X-Credits-Cost')
  if (node['x-free'] === true && !metered && node['x-credits'] === undefined) return null
  if (node['x-credits'] === undefined) throw new ContractError(place, 'metered (not x-free), but without x-credits')
  if (!metered) throw new ContractError(place, 'has x-credits, but its answer carries no X-Credits-Cost')
  const credits = asNode(node['x-credits'], `${place}.x-credits`)
  for (const key of Object.keys(credits)) {
    if (!['base', 'perItem', 'items', 'maxItems'].includes(key))
      throw new ContractError(`${place}.x-credits`, `unknown key "${key}"`)
  }
  const { base, perItem, items = null, maxItems = 0 } = credits
  const whole = [base, perItem, maxItems].every((value) => Number.isInteger(value) && Number(value) >= 0)
  const priced =
    Number(perItem) === 0 ? items === null && maxItems === 0 : typeof items === 'string' && Number(maxItems) > 0
  if (!whole || !priced)
    throw new ContractError(`${place}.x-credits`, 'needs base, perItem and, where it is above 0, items and maxItems')
  return { base: Number(base), perItem: Number(perItem), items: items as string | null, maxItems: Number(maxItems) }
}

function readParam(document: object, param: unknown, place: string): ParamModel {
  const node = follow(document, param, place)
  const where = node.in
  if (where !== 'path' && where !== 'query') throw new ContractError(place, `"in: ${String(where)}" is not understood`)
  const schema = asNode(node.schema, `${place}.schema`)
  for (const keyword of Object.keys(schema)) {
    if (!PARAM_KEYWORDS.has(keyword)) throw new ContractError(`${place}.schema`, `unknown schema keyword "${keyword}"`)
  }
  return {
    name: text(node.name),
    in: where,
    required: node.required === true,
    description: text(node.description),
    type: readParamType(schema, node['x-any-case'] === true, `${place}.schema`),
  }
}

function readParamType(schema: Record<string, unknown>, anyCase: boolean, place: string): ParamType {
  if (typeof schema.const === 'number') return { kind: 'chain', id: schema.const }
  if (schema.$ref === '#/components/schemas/Address') return { kind: 'address' }
  if (schema.type === 'array') return { kind: 'addresses' }
  if (Array.isArray(schema.enum)) return { kind: 'choice', values: schema.enum, anyCase }
  if (schema.type === 'integer' && schema.minimum === 1 && typeof schema.maximum === 'number') {
    return { kind: 'limit', max: schema.maximum }
  }
  throw new ContractError(place, 'a parameter of a form that the generator does not know')
}

function follow(document: object, node: unknown, place: string): Record<string, unknown> {
  const ref = asNode(node, place).$ref
  if (typeof ref !== 'string') return asNode(node, place)
  let target: unknown = document
  for (const step of ref.replace(/^#\//, '').split('/')) target = asNode(target, `${place} -> ${ref}`)[step]
  return asNode(target, `${place} -> ${ref}`)
}
