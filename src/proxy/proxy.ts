import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { ASYNC_DISPOSE } from '../utils/async-dispose.ts'
import { createAnswerCache } from './answer-cache.ts'
import { createIdentify } from './identify.ts'
import { ALLOWED_METHODS, createOriginPolicy } from './origin.ts'
import { createPurchases } from './purchases.ts'
import { readCall } from './read-call.ts'
import { notFound, refusalOf, refuse } from './refusal.ts'
import { failure, success } from './respond.ts'
import { createRouter } from './route.ts'
import { readSettings } from './settings.ts'
import { createStreams } from './stream/streams.ts'
import type { MarketProxy, ProxyOptions } from './types.ts'
import { createVisitors } from './visitors.ts'

/**
 * Creates a proxy that holds the key for pages: a function from a `Request` to its `Response`. It answers the service's own paths,
 * so that `createClient({ baseUrl: '/api/market' })` works on it without a key. Each request is read, checked and made anew by
 * `client`; nothing of it is forwarded. Calls that several visitors make are bought once.
 *
 * It needs web standards only: Node (srvx), Hono, a Next route handler, Cloudflare Workers, Deno, Bun, or msw in a page.
 *
 * Errors have the envelope of the service. Beside those of the client: 404 `not_found`, 403 `not_allowed` and `no_visitor`, 405
 * `method_not_allowed`, 429 `visitor_budget_exceeded` and `budget_exceeded`, 502 `upstream_refused` and `upstream_failed`, 503
 * `upstream_busy` and `proxy_closed`, 504 `upstream_timeout`.
 * @example
 * const proxy = createProxy({
 *   client,
 *   basePath: '/api/market',
 *   allow: ['prices.batch', { operation: 'token.candles', limit: 200 }],
 *   visitor: (request) => request.headers.get('x-account'),
 *   perVisitor: { credits: 5_000, windowMs: 3_600_000 },
 * })
 * const response = await proxy(request)
 * @throws InvalidRequestError when an option is unknown or not accepted
 */
export function createProxy(options: ProxyOptions): MarketProxy {
  const settings = readSettings(options)
  const { client, clock, rules, cdnMaxAgeMs } = settings
  const matchRoute = createRouter(settings.basePath)
  const origins = createOriginPolicy(settings.cors)
  const identify = createIdentify(settings.visitor)
  const visitors = settings.perVisitor && createVisitors(settings.perVisitor, clock)
  const cache = createAnswerCache(clock)
  const streams = settings.stream && createStreams(settings.stream, clock, client.redact)
  const purchases = createPurchases({ client, clock, cache, visitors, budget: settings.budget })
  const remainingOf = (visitor: string) => visitors?.find(visitor)?.available ?? settings.perVisitor?.credits
  const live = new Set<Promise<unknown>>()
  const closing = new LightAbortController()
  /** A function that never answers must not keep the proxy open. */
  const findVisitor = (request: Request) => raceWithAbort(raceWithAbort(identify(request), request.signal), closing)

  /** ONE REQUEST: who asks -> route -> allowed -> parameters -> visitor -> cache, or budgets and call -> answer. */
  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const { method, signal } = request
    closing.throwIfAborted()
    origins.check(request, url)
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: origins.preflightHeaders(request) })

    const route = matchRoute(url.pathname)
    if (route === undefined) throw notFound()
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(ALLOWED_METHODS)
    if (route.operation === 'stream') return openStream(request, url)

    const rule = rules.get(route.operation)
    if (rule === undefined) throw refuse(403, 'not_allowed', `${route.operation} is not open to visitors.`)

    const call = readCall(rule, route.params, url.searchParams, url.search, client.estimate)
    const visitor = await findVisitor(request)

    const cached = cache.get(call.key)
    if (method === 'HEAD' && cached === undefined) throw methodNotAllowed('GET, OPTIONS')
    const { answer, cost } = cached ? { answer: cached, cost: 0 } : await purchases.buy(call, visitor, signal)

    const credits = call.isMetered
      ? { cost, remaining: remainingOf(visitor) }
      : { cost: undefined, remaining: undefined }
    return success(request, { answer, ...credits, cdnMaxAgeMs }, clock)
  }

  async function openStream(request: Request, url: URL): Promise<Response> {
    if (streams === undefined) throw notFound()
    if (request.method === 'HEAD') throw methodNotAllowed('GET, OPTIONS')
    const visitor = await findVisitor(request)
    return streams.open(request, url, visitor)
  }

  async function respond(request: Request): Promise<Response> {
    const response = await handle(request).catch((error) => {
      const { details } = request.signal.aborted ? aborted() : refusalOf(error)
      return failure(details, request.method, client.redact)
    })
    for (const [name, value] of Object.entries(origins.headersFor(request)))
      if (!response.headers.has(name)) response.headers.set(name, value)
    return response
  }

  const proxy = (request: Request): Promise<Response> => {
    const response = respond(request).finally(() => live.delete(response))
    live.add(response)
    return response
  }
  const close = async () => {
    closing.abort(refuse(503, 'proxy_closed', 'The proxy is closed.'))
    streams?.close()
    await Promise.all([...live, purchases.settled()])
  }
  return Object.assign(proxy, { close, [ASYNC_DISPOSE]: close })
}

const methodNotAllowed = (allow: string) =>
  refuse(405, 'method_not_allowed', 'The proxy takes GET, and HEAD for what it has in its cache.', {
    headers: { allow },
  })

/** Nobody reads it. */
const aborted = () => refuse(499, 'request_aborted', 'The visitor left.')
