import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { createAddressReader } from '../utils/address.ts'
import { ASYNC_DISPOSE, isPromise } from '../utils/runtime.ts'
import { createIdentify, type Identity } from './identify.ts'
import { ListedTokens } from './listed-tokens.ts'
import { withReplies } from './node-handler.ts'
import { addOriginHeaders, checkOrigin, preflightHeaders } from './origin.ts'
import { Purchases } from './purchases.ts'
import { createRouter, type ProxyCall, type Route } from './read-call.ts'
import {
  encode,
  failure,
  methodNotAllowed,
  notFound,
  proxyClosed,
  type Reply,
  refusalOf,
  refuse,
  success,
  toResponse,
} from './respond.ts'
import { type ProxySettings, readSettings } from './settings.ts'
import { OpenStreams } from './stream/open-streams.ts'
import type { MarketProxy, ProxyOptions, ProxyStatus, SpentBudget } from './types.ts'
import { RequestRate, Visitors } from './visitors.ts'

/**
 * Creates a proxy that holds the key for pages: a function from a `Request` to its `Response`. It answers the service's own paths,
 * so that `createClient({ baseUrl: '/api/market' })` works on it without a key. Each request is read, checked and made anew by
 * `client`; nothing of it is forwarded. Calls that several visitors make are bought once.
 *
 * It needs web standards only: Node (srvx), Hono, a Next route handler, Cloudflare Workers, Deno, Bun, or msw in a page.
 *
 * Errors have the envelope of the service. Beside those of the client: 404 `not_found`, 403 `not_allowed` and `no_visitor`, 405
 * `method_not_allowed`, 429 `visitor_budget_exceeded`, `budget_exceeded` and `too_many_requests`, `too_many_streams` and `too_many_addresses`, 502 `upstream_refused` and `upstream_failed`, 503
 * `upstream_busy` and `proxy_closed`, 504 `upstream_timeout`.
 * @example
 * const proxy = createProxy({
 *   client,
 *   basePath: '/api/market',
 *   allow: ['prices.batch', { operation: 'token.candles', limit: 200 }],
 *   visitorCookie: true, // or visitor: (request) => sessionOf(request)
 *   perVisitor: { credits: 5_000, windowMs: 3_600_000, requestsPerMinute: 120 },
 *   budget: { creditsPerDay: 500_000 },
 * })
 * const response = await proxy(request)
 * @throws InvalidRequestError when an option is unknown or not accepted
 */
export function createProxy(options: ProxyOptions): MarketProxy {
  const server = new ProxyServer(readSettings(options))
  const close = () => server.close()
  const proxy = Object.assign(async (request: Request) => toResponse(await server.answer(request)), {
    status: () => server.status(),
    close,
    [ASYNC_DISPOSE]: close,
  })
  return withReplies(proxy, (request) => server.answer(request))
}

/** A proxy with its state. Its steps stand in the order in which they happen to a request. */
class ProxyServer {
  readonly #settings: ProxySettings
  readonly #routeOf: (href: string) => Route
  readonly #identify: (request: Request) => Identity | Promise<Identity>
  readonly #visitors: Visitors | undefined
  readonly #rate: RequestRate | undefined
  readonly #listed: ListedTokens
  readonly #streams: OpenStreams | undefined
  readonly #purchases: Purchases
  readonly #live = new Set<Promise<unknown>>()
  readonly #closing = new LightAbortController()

  constructor(settings: ProxySettings) {
    const { basePath, clock, perVisitor, rules, stream } = settings
    const reader = createAddressReader()
    this.#settings = settings
    this.#routeOf = createRouter(basePath, rules, reader)
    this.#identify = createIdentify(settings)
    this.#visitors = perVisitor && new Visitors(perVisitor, clock)
    this.#rate = perVisitor?.requestsPerMinute ? new RequestRate(perVisitor.requestsPerMinute, clock) : undefined
    this.#listed = new ListedTokens(settings)
    this.#streams = stream && new OpenStreams(stream, clock, this.#listed, reader)
    this.#purchases = new Purchases(settings, this.#visitors)
  }

  /** Never rejects. */
  answer(request: Request): Promise<Reply> {
    const reply = this.#respond(request).finally(() => this.#live.delete(reply))
    this.#live.add(reply)
    return reply
  }

  status(): ProxyStatus {
    const topSpenders = this.#visitors?.top(10) ?? []
    return {
      visitors: this.#visitors?.size ?? 0,
      streams: this.#streams?.size ?? 0,
      stream: this.#streams?.cost(),
      topSpenders: topSpenders.map((each) => ({ ...each, streams: this.#streams?.countOf(each.visitor) ?? 0 })),
      budget: spentBudget(this.#settings.budget),
      feed: this.#settings.stream?.feed.status(),
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(proxyClosed())
    this.#streams?.close()
    await Promise.all([...this.#live, this.#purchases.settled(), this.#listed.settled()])
    this.#visitors?.close()
    // What could not be written stays reserved in the store.
    await this.#settings.closeBudget().catch(() => {})
  }

  async #respond(request: Request): Promise<Reply> {
    // What is known of who sends it, as soon as it is.
    const sender: Partial<Identity> = {}
    const reply = await this.#handle(request, sender).catch((error) => this.#refuse(request, sender, error))
    const isShared = String(reply.headers['cache-control']).startsWith('public')
    addOriginHeaders(request, this.#settings.cors, isShared, reply.headers)
    // A shared cache would hand one visitor's cookie to the others.
    if (sender.setCookie && !isShared) reply.headers['set-cookie'] = sender.setCookie
    return reply
  }

  /** ONE REQUEST: whose page -> who asks -> route -> allowed -> parameters -> tokens -> cache, or budgets and call -> answer. */
  async #handle(request: Request, sender: Partial<Identity>): Promise<Reply> {
    const { ages, cdnMaxAgeMs, cors } = this.#settings
    const { method } = request
    // A closed proxy waits for nobody, but knows what most visitors have left.
    if (this.#closing.aborted) await this.#identifySender(request, sender).catch(() => {})
    this.#closing.throwIfAborted()
    checkOrigin(request, cors)
    if (method === 'OPTIONS') return { status: 204, headers: preflightHeaders(request), body: null }

    const route = this.#routeOf(request.url)
    if (route.operation === 'status') {
      const asked = Promise.resolve(request).then(this.#settings.operator)
      const isOperator = await this.#waitFor(
        asked.catch(() => false),
        request,
      )
      if (isOperator === true) {
        await this.#settings.budget.load?.()
        return this.#answerStatus(request)
      }
    }

    const visitor = await this.#identifySender(request, sender)
    this.#rate?.count(visitor)
    if (route.operation === undefined || route.operation === 'status') throw notFound()
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(TAKES)
    if (route.operation === 'stream') {
      if (this.#streams === undefined) throw notFound()
      if (method === 'HEAD') throw methodNotAllowed(TAKES, 'GET, OPTIONS')
      return this.#streams.open(request, visitor)
    }

    const call = route.call()
    const { tokens } = call.rule
    if (tokens) requireTokens(call, tokens === 'listed' ? await this.#listed.get(request.signal) : tokens)

    const found = this.#purchases.find(call)
    if (method === 'HEAD' && found === undefined) throw methodNotAllowed(TAKES, 'GET, OPTIONS')
    const bought = found ?? (await this.#purchases.buy(call, visitor, request.signal))

    const credits = call.isMetered ? { cost: bought.cost, remaining: this.#visitors?.available(visitor) } : {}
    return success(request, bought, credits, cdnMaxAgeMs, ages)
  }

  /** A function of the user that never answers must not keep the proxy open. */
  #waitFor<T>(work: Promise<T>, { signal }: Request): Promise<T> {
    return raceWithAbort(raceWithAbort(work, signal), this.#closing)
  }

  async #identifySender(request: Request, sender: Partial<Identity>): Promise<string> {
    const found = this.#identify(request)
    const identity = isPromise(found) ? await this.#waitFor(found, request) : found
    Object.assign(sender, identity)
    return identity.visitor
  }

  #answerStatus({ method }: Request): Reply {
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(TAKES)
    const body = this.#settings.client.redact(JSON.stringify(this.status()))
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    return { status: 200, headers, body: method === 'HEAD' ? null : encode(body) }
  }

  #refuse(request: Request, { visitor }: Partial<Identity>, error: unknown): Reply {
    const { client, clock, budget } = this.#settings
    // Nobody reads the answer to a visitor who left.
    const refusal = request.signal.aborted
      ? refuse(499, 'request_aborted', 'The visitor left.')
      : refusalOf(error, clock.now(), budget.limit)
    const own = visitor === undefined ? undefined : this.#visitors?.available(visitor)
    return failure(refusal, request.method, client.redact, own)
  }
}

/** Undefined without a limit, and until a store was read. */
function spentBudget(budget: ProxySettings['budget']): SpentBudget | undefined {
  if (budget.limit === Number.POSITIVE_INFINITY || budget.isLoaded === false) return undefined
  const { limit, spent, uncertain, available, resetsAt } = budget
  return { limit, spent: spent + uncertain, available, resetsAt }
}

/** @throws Refusal for a call that names a token which visitors may not ask for, or none */
function requireTokens({ operation, tokens }: ProxyCall, allowed: ReadonlySet<string>): void {
  if (tokens.length === 0 || !tokens.every((token) => allowed.has(token)))
    throw refuse(403, 'not_allowed', `${operation} is open to visitors for some tokens only.`)
}

const TAKES = 'The proxy takes GET, and HEAD for what it has in its cache.'
