import { type OperationModel, readOperation } from './operation.ts'
import {
  asNode,
  check,
  list,
  type NamedShape,
  patternsOf,
  readNode,
  readShape,
  refsOf,
  type Shape,
  text,
} from './shape.ts'

export type Model = Readonly<ReturnType<typeof readModel>>

/** The description of each group, by its tag. */
export type Groups = ReadonlyMap<string, string>

const DOCUMENT_KEYS = ['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']
const COMPONENT_KEYS = ['securitySchemes', 'parameters', 'headers', 'responses', 'schemas']

/** @throws ContractError, naming the place, at anything that it does not understand. */
export function readModel(contract: unknown) {
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
  return { document, groups, shapes, patterns: patternsOf(shapes), operations }
}

function checkRefs(shape: Shape, shapes: readonly NamedShape[], place: string): void {
  const known = shapes.map(({ name }) => name)
  for (const name of refsOf(shape)) check(known.includes(name), place, `there is no schema "${name}"`)
}

/** Checks what one operation alone cannot show: its group, its name among the others, and limits against costs. */
function checkOperations(operations: readonly OperationModel[], groups: Groups): void {
  const pathsById = new Map<string, string>()
  for (const operation of operations) {
    const { id, path } = operation
    const place = `paths.${path}.get`
    check(!pathsById.has(id), place, `operationId "${id}" is already used by ${pathsById.get(id)}`)
    pathsById.set(id, path)
    checkTags(operation, groups, place)
    checkPathParams(operation, `${place}.parameters`)
    checkMaximum(operation, place)
  }
  for (const name of groups.keys()) {
    const isUsed = operations.some(({ group }) => group === name)
    check(isUsed, 'tags', `no operation is in the group "${name}"`)
  }
}

/** The methods are listed by tag: an operation without one would be missing from the client's type. */
function checkTags({ group, tags }: OperationModel, groups: Groups, place: string): void {
  const isOwn = tags.length === 1 && tags[0] === group
  check(isOwn, `${place}.tags`, `must be [${group}], the group of the operationId`)
  check(groups.has(group), place, `the group "${group}" has no tag in the document's "tags"`)
}

function checkPathParams({ path, params }: OperationModel, place: string): void {
  const inTemplate = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  const inPath = params.filter((param) => param.in === 'path')
  const declared = inPath.map(({ name }) => name)
  for (const name of inTemplate) check(declared.includes(name), place, `the path parameter "${name}" is not declared`)
  for (const { name, required } of inPath) {
    check(inTemplate.includes(name), place, `the path has no "{${name}}"`)
    check(required, place, `the path parameter "${name}" must be required`)
  }
  const names = params.map(({ name }) => name)
  for (const name of names) check(names.indexOf(name) === names.lastIndexOf(name), place, `"${name}" is declared twice`)
}

/** A limit above `maxItems` would let a call cost more than its estimate; one below would overestimate every call. */
function checkMaximum({ credits, params }: OperationModel, place: string): void {
  if (credits?.items === undefined) return
  const listName = credits.items.startsWith('query.') ? credits.items.slice('query.'.length) : 'limit'
  for (const { name, type } of params) {
    if (name !== listName || !('max' in type)) continue
    const problem = `the maximum of "${name}" is ${type.max}, but x-credits.maxItems is ${credits.maxItems}`
    check(type.max === credits.maxItems, place, problem)
  }
}
