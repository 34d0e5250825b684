import { checkOperations } from './check-operations.ts'
import { type Model, refsOf } from './model.ts'
import { asNode, ContractError, list, readNode, text } from './node.ts'
import { readOperation } from './operation.ts'
import { type NamedShape, readShape, type Shape } from './shape.ts'

const DOCUMENT_KEYS = ['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']
const COMPONENT_KEYS = ['securitySchemes', 'parameters', 'headers', 'responses', 'schemas']

/**
 * Reads the contract.
 * @throws ContractError, naming the place, at anything that it does not understand.
 */
export function readModel(contract: unknown): Model {
  const document = readNode(contract, 'the document', DOCUMENT_KEYS)
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
  const groups = new Map(tags.map((tag) => [text(tag.name), text(tag.description)]))
  checkOperations(operations, groups)
  return { document, groups, shapes, operations }
}

function checkRefs(shape: Shape, shapes: readonly NamedShape[], place: string): void {
  for (const name of refsOf(shape)) {
    if (!shapes.some((named) => named.name === name)) throw new ContractError(place, `there is no schema "${name}"`)
  }
}
