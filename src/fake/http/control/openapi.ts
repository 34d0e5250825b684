import { TOKEN_HEADER } from './access.ts'
import type { Command, Commands } from './command.ts'
import { COMPONENTS, NOTHING, ref } from './schemas.ts'

/** The OpenAPI description of the control routes: the schemas are those that requests are checked with. */
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
    servers: [{ url: '/', description: 'The server that the fake runs on.' }],
    info: {
      title: 'Control of the fake service',
      version: '1',
      description: 'Steers the fake service of etn-market, and reads what happened.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: TAGS.map(([name, description]) => ({ name, description })),
    security: [{}, { controlToken: [] }],
    paths,
    components: {
      securitySchemes: { controlToken: { type: 'apiKey', in: 'header', name: TOKEN_HEADER } },
      schemas: COMPONENTS,
    },
  }
}

/** Groups of routes, by the first segment of the path. */
const TAGS: [name: string, description: string][] = [
  ['observe', 'Reading what happened.'],
  ['faults', 'Faults, scripts and stubs.'],
  ['keys', 'Keys and their credits.'],
  ['clock', 'The time, and the heavy slots.'],
  ['world', 'The data.'],
  ['state', 'Reset and snapshots.'],
  ['expect', 'Expectations about what happened.'],
]
const TAG_OF: Record<string, string> = {
  script: 'faults',
  stubs: 'faults',
  'heavy-slots': 'clock',
  reset: 'state',
  snapshot: 'state',
  snapshots: 'state',
  restore: 'state',
}

function tagOf(path: string): string {
  const [first = ''] = path.split('/')
  return TAG_OF[first] ?? (TAGS.some(([name]) => name === first) ? first : 'observe')
}

function describe(route: string, method: string, path: string, { summary, takes = NOTHING, answers }: Command): object {
  const id = path.endsWith('{id}') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }] : []
  const query =
    method === 'GET'
      ? Object.entries(takes.properties ?? {}).map(([name, schema]) => ({ name, in: 'query', schema }))
      : []
  const hasBody = method === 'POST' && (takes.$ref !== undefined || Object.keys(takes).length > 0)
  const required = takes.required !== undefined || takes.$ref !== undefined
  const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
  return {
    operationId: route.replace(/\W+/g, '_').replace(/_$/, '').toLowerCase(),
    tags: [tagOf(path)],
    summary,
    ...(id.length + query.length > 0 ? { parameters: [...id, ...query] } : {}),
    ...(hasBody ? { requestBody: { required, content: { 'application/json': { schema: takes } } } } : {}),
    responses: {
      200: json('Done.', answers),
      400: json('The request is wrong; the message names the field.', ref('Error')),
      403: json('The caller may not control the fake.', ref('Error')),
      ...(path.startsWith('expect/')
        ? { 409: json('The expectation is not met; the message lists the requests.', ref('Error')) }
        : {}),
    },
  }
}
