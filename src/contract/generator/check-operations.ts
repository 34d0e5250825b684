import type { Groups, OperationModel } from './model.ts'
import { ContractError } from './node.ts'

/** Checks what one operation alone cannot show: its group, its name among the others, and limits against costs. */
export function checkOperations(operations: readonly OperationModel[], groups: Groups): void {
  const pathsById = new Map<string, string>()
  for (const operation of operations) {
    const { id, path } = operation
    const place = `paths.${path}.get`
    const other = pathsById.get(id)
    if (other !== undefined) throw new ContractError(place, `operationId "${id}" is already used by ${other}`)
    pathsById.set(id, path)
    checkTags(operation, groups, place)
    checkPathParams(operation, place)
    checkMaximum(operation, place)
  }
  for (const group of groups.keys()) {
    if (!operations.some((operation) => operation.group === group)) {
      throw new ContractError('tags', `no operation is in the group "${group}"`)
    }
  }
}

/** The methods are listed by tag: an operation without one would be missing from the client's type. */
function checkTags({ group, tags }: OperationModel, groups: Groups, place: string): void {
  if (tags.length !== 1 || tags[0] !== group) {
    throw new ContractError(`${place}.tags`, `must be [${group}], the group of the operationId`)
  }
  if (!groups.has(group)) throw new ContractError(place, `the group "${group}" has no tag in the document's "tags"`)
}

function checkPathParams({ path, params }: OperationModel, place: string): void {
  const inTemplate = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  const inPath = params.filter((param) => param.in === 'path')
  for (const name of inTemplate) {
    if (!inPath.some((param) => param.name === name)) {
      throw new ContractError(`${place}.parameters`, `the path parameter "${name}" is not declared`)
    }
  }
  for (const { name, required } of inPath) {
    if (!inTemplate.includes(name)) throw new ContractError(`${place}.parameters`, `the path has no "{${name}}"`)
    if (!required) throw new ContractError(`${place}.parameters`, `the path parameter "${name}" must be required`)
  }
  const repeated = params.find(({ name }, index) => params.findIndex((param) => param.name === name) !== index)
  if (repeated) throw new ContractError(`${place}.parameters`, `"${repeated.name}" is declared twice`)
}

/** A limit above `maxItems` would let a call cost more than its estimate; one below would overestimate every call. */
function checkMaximum({ credits, params }: OperationModel, place: string): void {
  if (credits === null || credits.items === null) return
  const listName = credits.items.startsWith('query.') ? credits.items.slice('query.'.length) : 'limit'
  for (const { name, type } of params) {
    if (name !== listName || !('max' in type) || type.max === credits.maxItems) continue
    const message = `the maximum of "${name}" is ${type.max}, but x-credits.maxItems is ${credits.maxItems}`
    throw new ContractError(place, message)
  }
}
