/** The contract has something that the generator does not understand; the message names the place. */
export class ContractError extends Error {
  override get name(): string {
    return 'ContractError'
  }
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`)
  }
}

export type Node = Record<string, unknown>

export function asNode(value: unknown, place: string): Node {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ContractError(place, 'not an object')
  return value as Node
}

/** An object with these keys and no others: an unread key would be a rule that is not enforced. */
export function readNode(value: unknown, place: string, known: readonly string[], what = 'key'): Node {
  const node = asNode(value, place)
  const unknown = Object.keys(node).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new ContractError(place, `unknown ${what} "${unknown}"`)
  return node
}

/** `true` or absent. */
export function readFlag(node: Node, key: string, place: string): boolean {
  if (node[key] !== undefined && node[key] !== true)
    throw new ContractError(`${place}.${key}`, 'must be true or absent')
  return node[key] === true
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

export function list(value: unknown, place: string): unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new ContractError(place, 'not a list')
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
