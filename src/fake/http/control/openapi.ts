import { TOKEN_HEADER } from './access.ts'
import type { Command, Commands } from './command.ts'

/** The OpenAPI description of the control routes. */
export function describeCommands(commands: Commands): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [route, command] of Object.entries(commands)) {
    const [method = 'GET', path = ''] = route.split(' ')
    const operations = paths[`/_fake/${path}`] ?? {}
    operations[method.toLowerCase()] = describe(route, method, path, command)
    paths[`/_fake/${path}`] = operations
  }
  return {
    openapi: '3.1.0',
    servers: [{ url: '/' }],
    info: { title: 'Control of the fake service', version: '1' },
    components: { securitySchemes: { controlToken: { type: 'apiKey', in: 'header', name: TOKEN_HEADER } } },
    security: [{}, { controlToken: [] }],
    paths,
  }
}

function describe(route: string, method: string, path: string, { summary, fields }: Command): object {
  const id = path.endsWith('{id}') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []
  const query =
    method === 'GET' ? (fields ?? []).map((name) => ({ name, in: 'query', schema: { type: 'string' } })) : []
  const properties = Object.fromEntries((fields ?? []).map((name) => [name, {}]))
  const schema = { type: 'object', properties, additionalProperties: fields === undefined }
  const requestBody = method === 'POST' ? { requestBody: { content: { 'application/json': { schema } } } } : {}
  const json = (description: string) => ({ description, content: { 'application/json': { schema: {} } } })
  return {
    operationId: route.replace(/\W+/g, '_').replace(/_$/, '').toLowerCase(),
    summary,
    ...(id.length + query.length > 0 ? { parameters: [...id, ...query] } : {}),
    ...requestBody,
    responses: {
      200: json('Done.'),
      400: json('The request is wrong; the message says how.'),
      403: json('The caller may not control the fake.'),
      ...(path.startsWith('expect/') ? { 409: json('The expectation is not met; the message says how.') } : {}),
    },
  }
}
