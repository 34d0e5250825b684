import { EFFECTS, MATCH } from '../../faults/fault-options.ts'
import { KEYS } from '../../rules/accounts.ts'
import { EXPECTED } from '../../rules/expect.ts'
import { count, flag, number, OPERATION, object, operation, refTo, type Schema, text } from '../../rules/schema.ts'
import type { Command, Commands } from './commands.ts'

// What the control routes accept and answer: requests are checked with these schemas, and the OpenAPI document shows them.

const orNull = (type: string): Schema => ({ type: [type, 'null'] })

/** The fields of a command that takes none. */
export const NOTHING = object({})

/** A reference to a component. */
export const ref = (name: keyof typeof COMPONENTS): Schema => refTo(name)

/** An object in an answer: all its fields are there. */
export function answer(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

const CANDLE = { time: count, open: number, high: number, low: number, close: number, volume: number, count }

export const COMPONENTS = {
  Operation: OPERATION,
  Fault: object({ ...MATCH, ...EFFECTS }),
  Effects: object(EFFECTS),
  FaultHandle: answer({ id: count, label: text, hits: count }),
  Expected: EXPECTED,
  KeyState: answer({ credits: count, tier: text }),
  Keys: { type: 'object', additionalProperties: refTo('KeyState') },
  NewKeys: KEYS,
  Candle: object(CANDLE, Object.keys(CANDLE)),
  Charge: answer({
    key: text,
    operation,
    items: count,
    credits: count,
    delivered: flag,
    at: number,
    request: count,
  }),
  JournalEntry: answer(
    {
      id: count,
      at: number,
      method: text,
      url: text,
      path: text,
      query: { type: 'object', additionalProperties: text },
      operation: { anyOf: [refTo('Operation'), { type: 'null' }] },
      key: orNull('string'),
      attempt: count,
      inFlight: count,
      heavyInFlight: count,
      status: orNull('integer'),
      code: orNull('string'),
      fault: orNull('string'),
      credits: count,
      delivered: flag,
      finished: flag,
      headers: { type: 'object', additionalProperties: text },
    },
    ['headers'],
  ),
  Version: answer({ version: count }),
  Time: answer({ now: number }),
  Ok: answer({ ok: flag }),
  Id: answer({ id: count }),
  Removed: answer({ removed: count }),
  Error: answer({ error: answer({ code: text, message: text }) }),
} satisfies Record<string, Schema>

/** The schema that a reference names. */
export function resolveComponent(reference: string): unknown {
  return COMPONENTS[reference.slice('#/components/schemas/'.length) as keyof typeof COMPONENTS]
}

/** The header of the control token. */
export const TOKEN_HEADER = 'x-fake-control-token'

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
