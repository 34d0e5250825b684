import { document as service } from '../../../generated/document.ts'
import { isError } from '../../../utils/runtime.ts'
import { cut, FakeUsageError, findMismatch, show } from '../../rules/check.ts'
import type { Reply } from '../../rules/reply.ts'
import * as is from '../../rules/schema.ts'
import type { FakeService, ListenOptions } from '../../types.ts'
import type { IncomingRequest } from '../handle-request.ts'
import { COMPONENTS, type Command, commands, createRunners, ref } from './commands.ts'
import { findPage } from './page.ts'

/** Who asks, and the token of the server: with one, requests that carry it may come from anywhere. */
type Caller = Pick<ListenOptions, 'controlToken'> & { remoteAddress: string | undefined }

/** Answers the control routes below `/_fake`, for suites in any language. */
export type Control = (request: IncomingRequest, body: string, caller: Caller) => Promise<Reply>

const TOKEN_HEADER = 'x-fake-control-token'

/** Characters of a message: an expectation lists up to 20 requests. */
const MAX_MESSAGE = 10_000

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'"

const NOTHING = is.object({})

const resolve = (reference: string) =>
  COMPONENTS[reference.slice('#/components/schemas/'.length) as keyof typeof COMPONENTS]

export function createControl(fake: FakeService, maxSnapshots: number): Control {
  const runners = createRunners(fake, maxSnapshots)
  return async ({ method, url, headers }, body, caller) => {
    const path = url.pathname.replace(/^\/_fake\/?/, '')
    const page = method === 'GET' ? findPage(path) : undefined
    const isPublic = page !== undefined || (method === 'GET' && path === 'health')
    const rejected = rejectAccess(headers, caller, isPublic)
    if (rejected) return reject(403, 'forbidden', rejected)
    if (page) return respond(200, page.text, page.type)
    if (method === 'GET' && path === 'openapi.json') return respondJson(200, describeCommands())
    if (method === 'GET' && path === 'service.json')
      return respondJson(200, { ...service, servers: [{ url: url.origin + new URL(fake.baseUrl).pathname }] })
    const last = path.lastIndexOf('/')
    const known = Object.keys(commands) as (keyof typeof commands)[]
    const name = known.find((one) => [`${method} ${path}`, `${method} ${path.slice(0, last)}/{id}`].includes(one))
    const route = `${method} /_fake/${cut(path)}`
    if (!name) return reject(404, 'not_found', `There is no ${route}. There is: ${known.join(', ')}.`)
    try {
      const fields = method === 'GET' ? readQuery(url.searchParams, commands[name]) : readBody(body)
      const mismatch = findMismatch('', commands[name].takes ?? NOTHING, fields, { resolve })
      if (mismatch) throw new FakeUsageError(mismatch)
      return respondJson(200, await runners[name](fields, path.slice(last + 1)))
    } catch (error) {
      const isUnmet = isError(error) && error.name === 'AssertionError'
      const message = isError(error) ? error.message : show(error)
      return isUnmet
        ? reject(409, 'expectation_failed', message)
        : reject(400, 'invalid_request', `${route}: ${message}`)
    }
  }
}

/** Query parameters, as the numbers that the schema asks for. */
function readQuery(query: URLSearchParams, { takes }: Command): object {
  const read = (name: string, value: string) =>
    takes?.properties?.[name]?.type === 'integer' && /^-?\d+$/.test(value) ? Number(value) : value
  return Object.fromEntries([...query].map(([name, value]) => [name, read(name, value)]))
}

function readBody(text: string): object {
  const body: unknown = text === '' ? {} : JSON.parse(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new FakeUsageError('The body is a JSON object.')
  return body
}

function reject(status: number, code: string, message: string): Reply {
  return respondJson(status, { error: { code, message: cut(message, MAX_MESSAGE) } })
}

function respondJson(status: number, body: unknown): Reply {
  return respond(status, JSON.stringify(body), 'application/json')
}

function respond(status: number, body: string, type: string): Reply {
  const headers = { 'content-type': type, 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' }
  return { status, headers: Object.entries(headers), body }
}

/** Why a request is rejected. The public page needs no token and may come from another machine, but not by a foreign `Host`. */
function rejectAccess(
  headers: Headers,
  { remoteAddress, controlToken }: Caller,
  isPublic: boolean,
): string | undefined {
  const [origin, site] = [headers.get('origin'), headers.get('sec-fetch-site') ?? 'none']
  // Only the page of the fake may use the control routes.
  const isOwn = origin === null || origin === `http://${headers.get('host')}`
  if (!isOwn || (site !== 'same-origin' && site !== 'none')) return 'Pages of other origins may not control the fake.'
  if (controlToken !== undefined) {
    if (isPublic || headers.get(TOKEN_HEADER) === controlToken) return undefined
    return `The header ${TOKEN_HEADER} is missing or wrong.`
  }
  const isLoopback = remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress ?? '')
  if (!isLoopback)
    return isPublic ? undefined : 'Only programs on this machine may control the fake, unless it has a controlToken.'
  // A foreign name may resolve to this machine (DNS rebinding).
  const host = headers.get('host') ?? ''
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host)) return undefined
  return `The Host ${show(host)} is not this machine: use localhost or 127.0.0.1, or a controlToken.`
}

/** The OpenAPI description of the control routes: the schemas are those that requests are checked with. */
function describeCommands(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [route, command] of Object.entries(commands)) {
    const [method = 'GET', path = ''] = route.split(' ')
    const operationId = route.replace(/\W+/g, '_').replace(/_$/, '').toLowerCase()
    const operation = { operationId, ...describe(method, path, command) }
    paths[`/_fake/${path}`] = { ...paths[`/_fake/${path}`], [method.toLowerCase()]: operation }
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
    security: [{}, { controlToken: [] }],
    paths,
    components: {
      securitySchemes: { controlToken: { type: 'apiKey', in: 'header', name: TOKEN_HEADER } },
      schemas: COMPONENTS,
    },
  }
}

function describe(method: string, path: string, { summary, takes = NOTHING, answers }: Command): object {
  const id = path.endsWith('{id}') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }] : []
  const fields = method === 'GET' ? Object.entries(takes.properties ?? {}) : []
  const parameters = [...id, ...fields.map(([name, schema]) => ({ name, in: 'query', schema }))]
  const required = takes.required !== undefined || takes.$ref !== undefined
  const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
  const unmet = json('The expectation is not met; the message lists the requests.', ref('Error'))
  return {
    tags: path.split('/', 1),
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(method === 'POST' ? { requestBody: { required, content: { 'application/json': { schema: takes } } } } : {}),
    responses: {
      200: json('Done.', answers),
      400: json('The request is wrong; the message names the field.', ref('Error')),
      403: json('The caller may not control the fake.', ref('Error')),
      ...(path.startsWith('expect/') ? { 409: unmet } : {}),
    },
  }
}
