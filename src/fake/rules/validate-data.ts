import { document } from '../../generated/document.ts'
import { findMismatchWith, type Schema } from './check-schema.ts'
import { type FakeOperation, fakeRoutes } from './routes.ts'

/**
 * The first mismatch of an answer's data with the contract, in words. It reads the OpenAPI document, not the schemas of the
 * client, so that a wrong one shows.
 */
export function findMismatch(operation: FakeOperation, data: unknown): string | undefined {
  const response = follow(at('paths', fakeRoutes[operation].path, 'get', 'responses', '200'))
  const envelope = read(response, 'content', 'application/json', 'schema')
  const schema = follow(envelope).properties?.data
  return schema && findMismatchWith(resolve, 'data', schema, data)
}

const resolve = (ref: string) => at(...ref.slice(2).split('/'))

function follow(node: unknown): Schema {
  const { $ref } = node as Schema
  return $ref === undefined ? (node as Schema) : follow(resolve($ref))
}

function at(...names: string[]): unknown {
  return read(document, ...names)
}

function read(node: unknown, ...names: string[]): unknown {
  return names.reduce((found, name) => (found as Record<string, unknown>)[name], node)
}
