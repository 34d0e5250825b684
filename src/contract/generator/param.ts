import type { Choice, ParamModel, ParamType } from './model.ts'
import { ContractError, follow, type Node, readFlag, readNode, text } from './node.ts'

const KEYS = ['name', 'in', 'required', 'description', 'style', 'explode', 'x-any-case', 'schema']
const KEYWORDS = ['$ref', 'type', 'const', 'enum', 'minimum', 'maximum', 'minItems', 'maxItems', 'items', 'default']

/** Reads one parameter of an operation. */
export function readParam(document: Node, param: unknown, from: string): ParamModel {
  const { node: found, place } = follow(document, param, from)
  const node = readNode(found, place, KEYS)
  if (node.in !== 'path' && node.in !== 'query')
    throw new ContractError(place, `"in: ${String(node.in)}" is not understood`)
  const schema = readNode(node.schema, `${place}.schema`, KEYWORDS, 'schema keyword')
  const anyCase = readFlag(node, 'x-any-case', place)
  return {
    name: text(node.name),
    in: node.in,
    required: node.required === true,
    description: text(node.description),
    type: readType(schema, anyCase, `${place}.schema`),
  }
}

function readType(schema: Node, anyCase: boolean, place: string): ParamType {
  if (schema.default !== undefined && schema.enum === undefined)
    throw new ContractError(`${place}.default`, 'only a parameter with an enum has one')
  if (typeof schema.const === 'number') return { kind: 'chain', id: schema.const }
  if (schema.$ref === '#/components/schemas/Address') return { kind: 'address' }
  if (schema.type === 'array' && schema.minItems === 1 && typeof schema.maxItems === 'number') {
    return { kind: 'addresses', max: schema.maxItems }
  }
  if (Array.isArray(schema.enum)) return readChoice(schema.enum, schema.default, anyCase, place)
  if (schema.type === 'integer' && schema.minimum === 1 && typeof schema.maximum === 'number') {
    return { kind: 'limit', max: schema.maximum }
  }
  throw new ContractError(place, 'the generator does not know this form of parameter')
}

function readChoice(values: readonly Choice[], given: unknown, anyCase: boolean, place: string): ParamType {
  const found = values.find((value) => value === given)
  if (given !== undefined && found === undefined)
    throw new ContractError(`${place}.default`, `must be one of ${values.join(', ')}`)
  return { kind: 'choice', values, default: found, anyCase }
}
