import { parse } from 'yaml'
import { asNode, ContractError, list, readNode, text } from './node.ts'
import { readOperation } from './operation.ts'
import { type NamedShape, readShape, type Shape } from './shape.ts'

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

const DOCUMENT_KEYS = ['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']
const COMPONENT_KEYS = ['securitySchemes', 'parameters', 'headers', 'responses', 'schemas']

/** Reads the contract; anything it does not understand stops it with a message that names the place. */
export function readModel(yaml: string): Model {
  const document = readNode(parse(yaml), 'the document', DOCUMENT_KEYS)
  const components = readNode(document.components, 'components', COMPONENT_KEYS)
  const shapes = Object.entries(asNode(components.schemas, 'components.schemas'))
    .filter(([name]) => name !== 'Address')
    .map(([name, schema]) => {
      const place = `components.schemas.${name}`
      return { name, place, description: text(asNode(schema, place).description), shape: readShape(schema, place) }
    })
  const operations = Object.entries(asNode(document.paths, 'paths')).map(([path, item]) =>
    readOperation(document, path, readNode(item, `paths.${path}`, ['get']).get),
  )
  for (const { place, shape } of shapes) checkRefs(shape, shapes, place)
  for (const { envelope, path } of operations) checkRefs(envelope, shapes, `paths.${path}.get`)
  const tags = list(document.tags, 'tags').map((tag) => readNode(tag, 'tags', ['name', 'description']))
  return { document, groups: new Map(tags.map((tag) => [text(tag.name), text(tag.description)])), shapes, operations }
}

function checkRefs(shape: Shape, shapes: readonly NamedShape[], place: string): void {
  for (const name of refsOf(shape)) {
    if (!shapes.some((named) => named.name === name)) throw new ContractError(place, `there is no schema "${name}"`)
  }
}

/** The names of the shapes that a shape refers to. */
export function refsOf(shape: Shape): string[] {
  switch (shape.kind) {
    case 'ref':
      return [shape.name]
    case 'array':
      return refsOf(shape.items)
    case 'record':
      return refsOf(shape.values)
    case 'object':
      return shape.fields.flatMap((field) => refsOf(field.shape))
    default:
      return []
  }
}
