import { generate, readSources } from '../../src/contract/generator/generate.ts'

export type Node = Record<string, unknown>

const { contract, readme } = readSources()

/** The object at a place of the contract, for example `paths`, `/me`, `get`. */
export function at(document: Node, ...place: string[]): Node {
  return place.reduce<Node>((node, key) => {
    const next = node[key]
    if (typeof next !== 'object' || next === null) throw new Error(`No such place in the contract: ${place.join(' ')}`)
    return next as Node
  }, document)
}

/** The generator's error after a change of the contract; undefined when it accepts the change. */
export function generatorError(change: (document: Node) => void): string | undefined {
  const document = structuredClone(contract) as Node
  change(document)
  try {
    generate(document, readme)
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return `${error.name}: ${error.message}`
  }
}
