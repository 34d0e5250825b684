import { parse, stringify } from 'yaml'
import { generate, readSources } from '../../src/contract/generate.ts'

type Node = Record<string, unknown>

const { yaml, readme } = readSources()

/** The object at a place of the contract, such as `paths`, `/me`, `get`. */
export function at(document: Node, ...place: string[]): Node {
  return place.reduce<Node>((node, key) => {
    const next = node[key]
    if (typeof next !== 'object' || next === null) throw new Error(`No such place in the contract: ${place.join(' ')}`)
    return next as Node
  }, document)
}

/** What the generator says of the contract after a change; undefined when it takes the change without a word. */
export function complaint(change: (document: Node) => void): string | undefined {
  const document = parse(yaml) as Node
  change(document)
  try {
    generate(stringify(document, { aliasDuplicateObjects: false }), readme)
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return `${error.name}: ${error.message}`
  }
}
