import type { ChoiceRule, CreditCost, LimitRule } from '../../operations/operation.ts'
import {
  asNode,
  ContractError,
  check,
  follow,
  list,
  type Node,
  readFlag,
  readNode,
  readShape,
  type Shape,
  text,
} from './shape.ts'

export type OperationModel = Readonly<ReturnType<typeof readOperation>>

export type ParamModel = Readonly<ReturnType<typeof readParam>>

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

export function readOperation(document: Node, path: string, value: unknown) {
  const place = `paths.${path}.get`
  const node = readNode(value, place, OPERATION_KEYS)
  const id = text(node.operationId)
  const [group = '', action = ''] = id.split('.')
  check(group !== '' && action !== '', place, `operationId "${id}" is not group.action`)
  const answers = Object.entries(asNode(node.responses, `${place}.responses`)).map(
    ([status, answer]) => [status, readAnswer(document, answer, `${place}.responses.${status}`)] as const,
  )
  const ok = new Map(answers).get('200')
  const data =
    ok?.envelope.kind === 'object' ? ok.envelope.fields.find(({ name }) => name === 'data')?.shape : undefined
  check(ok !== undefined && data !== undefined, place, 'the answer has no "data"')
  const params = list(node.parameters, `${place}.parameters`).map((param, index) =>
    readParam(document, param, `${place}.parameters.${index}`),
  )
  const freshness = node['x-freshness']
  // Required: what may be cached, and for how long, is decided with the operation.
  check(isCount(freshness), `${place}.x-freshness`, 'must be a whole number of seconds')
  const bareField = text(node['x-may-be-bare']) || null
  const isNamed = (node['x-may-be-bare'] === undefined) === (bareField === null)
  check(isNamed, `${place}.x-may-be-bare`, 'must name the field that only a bare answer has')
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
    /** For how long an answer is shown before it is bought again; 0 for never. */
    freshSeconds: Number(freshness),
    needsKey: !(Array.isArray(node.security) && node.security.length === 0),
    /** The field that only a bare answer has, where the service may send the data without its envelope. */
    bareField,
    params,
    envelope: ok.envelope,
    data,
  }
}

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0

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
  const stated = node['x-credits']
  if (readFlag(node, 'x-free', place)) {
    check(stated === undefined, place, 'has both x-free and x-credits')
    check(!metered, place, 'metered (not x-free), but without x-credits')
    return null
  }
  check(stated !== undefined, place, 'metered (not x-free), but without x-credits')
  check(metered, place, 'has x-credits, but its answer carries no X-Credits-Cost')
  const here = `${place}.x-credits`
  const { base, perItem, items, maxItems = 0 } = readNode(stated, here, ['base', 'perItem', 'items', 'maxItems'])
  const isPriced =
    Number(perItem) === 0 ? items === undefined && maxItems === 0 : typeof items === 'string' && Number(maxItems) > 0
  const isWhole = [base, perItem, maxItems].every(isCount)
  check(isWhole && isPriced, here, 'needs base, perItem and, where it is above 0, items and maxItems')
  if (typeof items !== 'string') return { base: Number(base) }
  checkItems(items, params, data, `${here}.items`)
  return { base: Number(base), perItem: Number(perItem), items, maxItems: Number(maxItems) }
}

/** The charged items are the answer's `data`, a record in it, or a list in the query. */
function checkItems(items: string, params: readonly ParamModel[], data: Shape, place: string): void {
  const lists = params.filter(({ type }) => type.kind === 'addresses').map(({ name }) => `query.${name}`)
  const counted = [
    ...lists,
    ...(data.kind === 'array' ? ['data'] : []),
    ...(data.kind === 'ref' ? ['data.balances'] : []),
  ]
  check(counted.includes(items), place, `"${items}" is nothing that can be counted`)
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

function readParam(document: Node, param: unknown, from: string) {
  const { node: found, place } = follow(document, param, from)
  const node = readNode(found, place, PARAM_KEYS)
  check(node.in === 'path' || node.in === 'query', place, `"in: ${String(node.in)}" is not understood`)
  const schema = readNode(node.schema, `${place}.schema`, PARAM_KEYWORDS, 'schema keyword')
  const anyCase = readFlag(node, 'x-any-case', place) || undefined
  return {
    name: text(node.name),
    in: node.in === 'path' ? node.in : 'query',
    required: node.required === true,
    description: text(node.description),
    type: readType(schema, anyCase, `${place}.schema`),
  }
}

function readType(schema: Node, anyCase: true | undefined, place: string): ParamType {
  const isChoice = schema.default === undefined || schema.enum !== undefined
  check(isChoice, `${place}.default`, 'only a parameter with an enum has one')
  if (typeof schema.const === 'number') return { kind: 'chain', id: schema.const }
  if (schema.$ref === '#/components/schemas/Address') return { kind: 'address' }
  if (schema.type === 'array' && schema.minItems === 1 && typeof schema.maxItems === 'number') {
    return { kind: 'addresses', max: schema.maxItems }
  }
  if (Array.isArray(schema.enum)) {
    const values: ChoiceRule['values'] = schema.enum
    const found = values.find((value) => value === schema.default)
    check(found === schema.default, `${place}.default`, `must be one of ${values.join(', ')}`)
    return { kind: 'choice', values, ...(found !== undefined && { default: found }), ...(anyCase && { anyCase }) }
  }
  if (schema.type === 'integer' && schema.minimum === 1 && typeof schema.maximum === 'number') {
    return { kind: 'limit', max: schema.maximum }
  }
  throw new ContractError(place, 'the generator does not know this form of parameter')
}
