import type { ChoiceRule, CreditCost, LimitRule } from '../../operations/operation.ts'
import {
  asNode,
  ContractError,
  follow,
  list,
  type Node,
  readFlag,
  readNode,
  readShape,
  type Shape,
  text,
} from './shape.ts'

export interface OperationModel {
  id: string
  group: string
  action: string
  tags: readonly string[]
  path: string
  summary: string
  description: string
  credits: CreditCost | null
  heavy: boolean
  /** For how long an answer is shown before it is bought again; 0 for never. */
  freshSeconds: number
  needsKey: boolean
  /** The field that only a bare answer has, where the service may send the data without its envelope. */
  bareField: string | null
  params: readonly ParamModel[]
  envelope: Shape
  data: Shape
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
  | { kind: 'addresses'; max: number }
  | LimitRule
  | ChoiceRule

const OPERATION_KEYS = [
  'operationId',
  'tags',
  'summary',
  'description',
  'x-credits',
  'x-free',
  'x-freshness',
  'x-heavy',
  'x-may-be-bare',
  'parameters',
  'responses',
  'security',
]

export function readOperation(document: Node, path: string, value: unknown): OperationModel {
  const place = `paths.${path}.get`
  const node = readNode(value, place, OPERATION_KEYS)
  const id = text(node.operationId)
  const [group = '', action = ''] = id.split('.')
  if (group === '' || action === '') throw new ContractError(place, `operationId "${id}" is not group.action`)
  const answers = Object.entries(asNode(node.responses, `${place}.responses`)).map(
    ([status, answer]) => [status, readAnswer(document, answer, `${place}.responses.${status}`)] as const,
  )
  const ok = answers.find(([status]) => status === '200')?.[1]
  const data =
    ok?.envelope.kind === 'object' ? ok.envelope.fields.find(({ name }) => name === 'data')?.shape : undefined
  if (ok === undefined || data === undefined) throw new ContractError(place, 'the answer has no "data"')
  const params = list(node.parameters, `${place}.parameters`).map((param, index) =>
    readParam(document, param, `${place}.parameters.${index}`),
  )
  if (node['x-may-be-bare'] !== undefined && text(node['x-may-be-bare']) === '') {
    throw new ContractError(`${place}.x-may-be-bare`, 'must name the field that only a bare answer has')
  }
  return {
    id,
    group,
    action,
    tags: list(node.tags, `${place}.tags`).map(text),
    path,
    summary: text(node.summary),
    description: text(node.description),
    credits: readCredits(node, ok.headers.includes('X-Credits-Cost'), params, data, place),
    heavy: readFlag(node, 'x-heavy', place),
    freshSeconds: readFreshness(node['x-freshness'], `${place}.x-freshness`),
    needsKey: !(Array.isArray(node.security) && node.security.length === 0),
    bareField: text(node['x-may-be-bare']) || null,
    params,
    envelope: ok.envelope,
    data,
  }
}

/** Required: what may be cached, and for how long, is decided with the operation. */
function readFreshness(value: unknown, place: string): number {
  if (!Number.isInteger(value) || Number(value) < 0) throw new ContractError(place, 'must be a whole number of seconds')
  return Number(value)
}

function readAnswer(document: Node, value: unknown, from: string): { headers: string[]; envelope: Shape } {
  const { node, place } = follow(document, value, from)
  readNode(node, place, ['description', 'headers', 'content'])
  const headers = Object.entries(asNode(node.headers ?? {}, `${place}.headers`))
  for (const [name, header] of headers) {
    const target = follow(document, header, `${place}.headers.${name}`)
    readNode(target.node, target.place, ['description', 'required', 'schema'])
  }
  const content = readNode(node.content, `${place}.content`, ['application/json'])
  const json = readNode(content['application/json'], `${place}.content`, ['schema'])
  return { headers: headers.map(([name]) => name), envelope: readShape(json.schema, `${place}.schema`) }
}

function readCredits(
  node: Node,
  metered: boolean,
  params: readonly ParamModel[],
  data: Shape,
  place: string,
): CreditCost | null {
  const free = readFlag(node, 'x-free', place)
  if (node['x-credits'] === undefined) {
    if (free && !metered) return null
    throw new ContractError(place, 'metered (not x-free), but without x-credits')
  }
  const here = `${place}.x-credits`
  if (free) throw new ContractError(place, 'has both x-free and x-credits')
  if (!metered) throw new ContractError(place, 'has x-credits, but its answer carries no X-Credits-Cost')
  const {
    base,
    perItem,
    items = null,
    maxItems = 0,
  } = readNode(node['x-credits'], here, ['base', 'perItem', 'items', 'maxItems'])
  const whole = [base, perItem, maxItems].every((value) => Number.isInteger(value) && Number(value) >= 0)
  const priced =
    Number(perItem) === 0 ? items === null && maxItems === 0 : typeof items === 'string' && Number(maxItems) > 0
  if (!whole || !priced)
    throw new ContractError(here, 'needs base, perItem and, where it is above 0, items and maxItems')
  if (typeof items !== 'string') return { base: Number(base) }
  checkItems(items, params, data, `${here}.items`)
  return { base: Number(base), perItem: Number(perItem), items, maxItems: Number(maxItems) }
}

/** The charged items are the answer's `data`, a record in it, or a list in the query. */
function checkItems(items: string, params: readonly ParamModel[], data: Shape, place: string): void {
  const [root, name, ...rest] = items.split('.')
  if (
    rest.length === 0 &&
    root === 'query' &&
    params.some((param) => param.name === name && param.type.kind === 'addresses')
  )
    return
  if (root === 'data' && name === undefined && data.kind === 'array') return
  if (root === 'data' && name === 'balances' && rest.length === 0 && data.kind === 'ref') return
  throw new ContractError(place, `"${items}" is nothing that can be counted`)
}

const PARAM_KEYS = ['name', 'in', 'required', 'description', 'style', 'explode', 'x-any-case', 'schema']
const PARAM_KEYWORDS = [
  '$ref',
  'type',
  'const',
  'enum',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'items',
  'default',
]

function readParam(document: Node, param: unknown, from: string): ParamModel {
  const { node: found, place } = follow(document, param, from)
  const node = readNode(found, place, PARAM_KEYS)
  if (node.in !== 'path' && node.in !== 'query')
    throw new ContractError(place, `"in: ${String(node.in)}" is not understood`)
  const schema = readNode(node.schema, `${place}.schema`, PARAM_KEYWORDS, 'schema keyword')
  const anyCase = readFlag(node, 'x-any-case', place) || undefined
  return {
    name: text(node.name),
    in: node.in,
    required: node.required === true,
    description: text(node.description),
    type: readType(schema, anyCase, `${place}.schema`),
  }
}

function readType(schema: Node, anyCase: true | undefined, place: string): ParamType {
  if (schema.default !== undefined && schema.enum === undefined)
    throw new ContractError(`${place}.default`, 'only a parameter with an enum has one')
  if (typeof schema.const === 'number') return { kind: 'chain', id: schema.const }
  if (schema.$ref === '#/components/schemas/Address') return { kind: 'address' }
  if (schema.type === 'array' && schema.minItems === 1 && typeof schema.maxItems === 'number') {
    return { kind: 'addresses', max: schema.maxItems }
  }
  if (Array.isArray(schema.enum)) {
    const values: ChoiceRule['values'] = schema.enum
    const found = values.find((value) => value === schema.default)
    if (schema.default !== undefined && found === undefined)
      throw new ContractError(`${place}.default`, `must be one of ${values.join(', ')}`)
    return { kind: 'choice', values, ...(found !== undefined && { default: found }), ...(anyCase && { anyCase }) }
  }
  if (schema.type === 'integer' && schema.minimum === 1 && typeof schema.maximum === 'number') {
    return { kind: 'limit', max: schema.maximum }
  }
  throw new ContractError(place, 'the generator does not know this form of parameter')
}
