import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { ASYNC_DISPOSE } from '../utils/async-dispose.ts'
import { createAnswerCache } from './answer-cache.ts'
import { createIdentify } from './identify.ts'
import { createListedTokens } from './listed-tokens.ts'
import { ALLOWED_METHODS, createOriginPolicy } from './origin.ts'
import { createProxyStatus } from './proxy-status.ts'
import { createPurchases } from './purchases.ts'
import { type ProxyCall, readCall } from './read-call.ts'
import { notFound, refusalOf, refuse } from './refusal.ts'
import { createRequestRate } from './request-rate.ts'
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
 * `method_not_allowed`, 429 `visitor_budget_exceeded`, `budget_exceeded` and `too_many_requests`, 502 `upstream_refused` and `upstream_failed`, 503
 * `upstream_busy` and `proxy_closed`, 504 `upstream_timeout`.
 * @example
 * const proxy = createProxy({
 *   client,
 *   basePath: '/api/market',
 *   allow: ['prices.batch', { operation: 'token.candles', limit: 200 }],
 *   visitor: (request) => sessionOf(request), // an identity that your server has made
 *   perVisitor: { credits: 5_000, windowMs: 3_600_000, requestsPerMinute: 120 },
 *   budget: { credits: 500_000, windowMs: 86_400_000 },
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
  const { budget, perVisitor } = settings
  const visitors = perVisitor && createVisitors(perVisitor, clock)
  const streamVisitors = settings.stream?.perVisitor ? createVisitors(settings.stream.perVisitor, clock) : visitors
  const rate = perVisitor?.requestsPerMinute ? createRequestRate(perVisitor.requestsPerMinute, clock) : undefined
  const cache = createAnswerCache(clock)
  const listed = createListedTokens(client, budget, clock)
  const streams =
    settings.stream &&
    createStreams({
      settings: settings.stream,
      clock,
      listed,
      visitors: streamVisitors,
      budget,
      check: (addresses) => void client.estimate('prices.batch', { addresses }),
      redact: client.redact,
    })
  const purchases = createPurchases({ client, clock, cache, visitors, budget })
  const status = createProxyStatus({ settings, visitors, streamVisitors, streams })
  const live = new Set<Promise<unknown>>()
  const closing = new LightAbortController()
  /** A function that never answers must not keep the proxy open. */
  const findVisitor = async (request: Request) => {
    const visitor = await raceWithAbort(raceWithAbort(identify(request), request.signal), closing)
    rate?.count(visitor)
    return visitor
  }

  /** ONE REQUEST: who asks -> route -> allowed -> parameters -> visitor -> tokens -> cache, or budgets and call -> answer. */
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
    if (route.operation === 'status') return answerStatus(request)

    const rule = rules.get(route.operation)
    if (rule === undefined) throw refuse(403, 'not_allowed', `${route.operation} is not open to visitors.`)

    const call = readCall(rule, route.params, url.searchParams, url.search, client.estimate)
    const visitor = await findVisitor(request)
    await requireTokens(call, signal)

    const cached = cache.get(call.key)
    if (method === 'HEAD' && cached === undefined) throw methodNotAllowed('GET, OPTIONS')
    const { answer, cost } = cached ? { answer: cached, cost: 0 } : await purchases.buy(call, visitor, signal)

    const credits = call.isMetered
      ? { cost, remaining: visitors?.available(visitor) }
      : { cost: undefined, remaining: undefined }
    return success(request, { answer, ...credits, cdnMaxAgeMs }, clock)
  }

  /** @throws Refusal for a call that names a token which visitors may not ask for, or none */
  async function requireTokens({ rule, tokens }: ProxyCall, signal: AbortSignal): Promise<void> {
    if (rule.tokens === undefined) return
    const allowed = rule.tokens === 'listed' ? await listed.get(signal) : rule.tokens
    if (tokens.length === 0 || !tokens.every((token) => allowed.has(token)))
      throw refuse(403, 'not_allowed', `${rule.operation} is open to visitors for some tokens only.`)
  }

  /** Nobody else learns that the path exists. */
  async function answerStatus(request: Request): Promise<Response> {
    const isOperator = await Promise.resolve(request)
      .then(settings.operator)
      .catch(() => false)
    if (isOperator !== true) throw notFound()
    const body = client.redact(JSON.stringify(status()))
    return new Response(request.method === 'HEAD' ? null : body, { headers: STATUS_HEADERS })
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
    await Promise.all([...live, purchases.settled(), listed.close()])
    visitors?.close()
    streamVisitors?.close()
  }
  return Object.assign(proxy, { status, close, [ASYNC_DISPOSE]: close })
}

const STATUS_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

const methodNotAllowed = (allow: string) =>
  refuse(405, 'method_not_allowed', 'The proxy takes GET, and HEAD for what it has in its cache.', {
    headers: { allow },
  })

/** Nobody reads it. */
const aborted = () => refuse(499, 'request_aborted', 'The visitor left.')
