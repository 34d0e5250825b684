import { type ClientInternals, internalsOf } from '../client/client-internals.ts'
import { AgeClock, type Clock } from '../concurrency/clock.ts'
import { openBudget } from '../credits/budget.ts'
import { LIMIT_OPTIONS, readLimit } from '../credits/credit-limit.ts'
import { invalidOption, rejectUnknown, requireInteger, requireMilliseconds, requireWindowMs } from '../errors/input.ts'
import { isArray } from '../operations/type-guards.ts'
import { parseUrl, trimEnd } from '../utils/runtime.ts'
import { readRules, readTokens } from './read-call.ts'
import type { ProxyCorsOptions, ProxyOptions, ProxyStreamOptions, ProxyWithFeed, VisitorLimits } from './types.ts'

/** The options of a proxy, checked, with every default filled in. */
export type ProxySettings = Readonly<ReturnType<typeof readSettings>>

/** The options of the event stream, likewise. */
export type StreamSettings = Readonly<ReturnType<typeof readStreamSettings>>

const OPTIONS =
  'client basePath allow visitor visitorCookie perVisitor budget cors cdn operator feed stream clock'.split(' ')

/** @throws InvalidRequestError for an option that is unknown or not accepted: a misspelt limit would be none */
export function readSettings(options: ProxyOptions) {
  rejectUnknown('proxy option', options, OPTIONS)
  const { visitor, visitorCookie, perVisitor, operator, feed, stream } = options
  const { client: own, basePath = '', cors = { origins: [] }, cdn = { maxAgeMs: 0 } } = options
  const client = internalsOf(own)
  if (client === undefined) throw invalidOption('client', own, 'a client made by createClient')
  const { clock = client.clock } = options
  for (const [name, value] of Object.entries({ visitor, operator }))
    if (value !== undefined && typeof value !== 'function') throw invalidOption(name, value, 'a function')
  checkCookie(visitorCookie)
  if (visitorCookie && visitor !== undefined) throw invalidOption('visitor', visitor, 'left out beside visitorCookie')
  if (feed !== undefined && visitor === undefined && !visitorCookie)
    throw invalidOption('visitor', visitor, 'a function that identifies who opens a stream, or visitorCookie: true')
  rejectUnknown('cdn option', cdn, ['maxAgeMs'])
  if (!(typeof cdn.maxAgeMs === 'number' && cdn.maxAgeMs >= 0))
    throw invalidOption('cdn.maxAgeMs', cdn.maxAgeMs, 'a number of milliseconds, 0 or more')
  if (stream !== undefined && feed === undefined) throw invalidOption('stream', stream, 'given together with feed')
  const settings = {
    client,
    clock,
    ages: new AgeClock(clock),
    basePath: readBasePath(basePath),
    rules: readRules(options.allow),
    visitor,
    visitorCookie,
    perVisitor: perVisitor === undefined ? undefined : readVisitorLimits(perVisitor),
    cors: readCors(cors),
    cdnMaxAgeMs: cdn.maxAgeMs,
    operator,
    stream: feed && readStreamSettings(feed, client, stream),
  }
  // After all that may throw, because only a proxy ends its use of an entry.
  const { budget, close: closeBudget } = readBudget(options.budget, clock)
  // Calls have to fit it beside the budget of the client, unless both are one.
  const limit = budget === own.budget ? undefined : budget
  return { ...settings, budget, limit, closeBudget }
}

/** What one visitor may do, likewise. */
export type VisitorSettings = Readonly<ReturnType<typeof readVisitorLimits>>

function readVisitorLimits(limits: VisitorLimits) {
  rejectUnknown('perVisitor option', limits, [...LIMIT_OPTIONS, 'requestsPerMinute'])
  const { requestsPerMinute } = limits
  if (requestsPerMinute !== undefined) requireInteger('perVisitor.requestsPerMinute', requestsPerMinute)
  const { credits, windowMs } = readLimit('perVisitor', limits)
  return { credits, windowMs: requireWindowMs('perVisitor.windowMs', windowMs), requestsPerMinute }
}

/** The shortest time-out of servers and proxies for a connection that is silent. */
const SHORTEST_TIMEOUT_MS = 30_000
const STREAM_OPTIONS = ['everyMs', 'addresses', 'maxAddresses', 'perVisitor', 'maxStreams', 'heartbeatMs']

function readStreamSettings(feed: ProxyWithFeed['feed'], client: ClientInternals, options: ProxyStreamOptions = {}) {
  rejectUnknown('stream option', options, STREAM_OPTIONS)
  const isFeed = typeof feed === 'object' && feed !== null && 'watch' in feed && 'status' in feed
  if (!isFeed) throw invalidOption('feed', feed, 'a feed made by createPriceFeed')
  if (feed.status().limit === undefined)
    throw invalidOption('feed', feed, 'a feed with a budget, or with `budget: false` for no limit')
  const { everyMs = 60_000, addresses = 'listed', maxAddresses = 200, perVisitor = {} } = options
  const { maxStreams = 5_000, heartbeatMs = 15_000 } = options
  rejectUnknown('stream.perVisitor option', perVisitor, ['streams'])
  const { streams = 6 } = perVisitor
  if (!(heartbeatMs < SHORTEST_TIMEOUT_MS))
    throw invalidOption('stream.heartbeatMs', heartbeatMs, 'below 30,000: servers close connections that are silent')
  return {
    feed,
    /** Pays for the list of tokens that may be streamed by the budget of the feed. */
    payer: internalsOf(feed),
    everyMs: requireMilliseconds('stream.everyMs', everyMs),
    /** The addresses that may be streamed, in lower case. */
    addresses: addresses === 'any' ? addresses : readTokens('stream.addresses', addresses),
    maxAddresses: requireInteger('stream.maxAddresses', maxAddresses),
    perVisitor: { streams: requireInteger('stream.perVisitor.streams', streams) },
    maxStreams: requireInteger('stream.maxStreams', maxStreams),
    heartbeatMs: requireMilliseconds('stream.heartbeatMs', heartbeatMs),
    /** The text without the keys of the proxy's client, and of that of the feed, which may be another one. */
    redact: (text: string) => client.redact(internalsOf(feed)?.redact(text) ?? text),
  }
}

/** What a cookie may be called (RFC 6265), without the punctuation that nobody uses. */
const COOKIE_NAME = /^[\w-]{1,64}$/

function checkCookie(cookie: ProxyOptions['visitorCookie']): void {
  if (cookie === undefined || typeof cookie === 'boolean') return
  rejectUnknown('visitorCookie option', cookie, ['name', 'secret'])
  const { name = 'visitor', secret } = cookie
  if (!COOKIE_NAME.test(name)) throw invalidOption('visitorCookie.name', name, 'a name of letters, digits, _ and -')
  if (secret !== undefined && (typeof secret !== 'string' || secret.length < MIN_SECRET))
    throw invalidOption('visitorCookie.secret', typeof secret, `a random text of ${MIN_SECRET} characters or more`)
}

const MIN_SECRET = 16

function readBasePath(path: unknown): string {
  const isPath = typeof path === 'string' && (path === '' || /^\/[\w\-.~/]*$/.test(path))
  if (!isPath || new URL(path, 'http://proxy').pathname !== (path || '/'))
    throw invalidOption('basePath', path, 'a path such as /api/market')
  return trimEnd(path, '/')
}

function readBudget(budget: ProxyOptions['budget'], clock: Clock) {
  if (budget === false) return openBudget({ credits: Number.POSITIVE_INFINITY }, clock)
  if (typeof budget !== 'object' || budget === null)
    throw invalidOption(
      'budget',
      budget,
      '{ credits, windowMs } or { creditsPerDay } for all visitors together, or false for no limit',
    )
  return openBudget(budget, clock)
}

/** The listed origins, as browsers send them, and whether they may send cookies. */
function readCors(cors: ProxyCorsOptions) {
  rejectUnknown('cors option', cors, ['origins', 'credentials'])
  const { origins, credentials = false } = cors
  if (!isArray(origins)) throw invalidOption('cors.origins', origins, 'a list of origins such as https://dapp.example')
  for (const origin of origins) {
    const own = (typeof origin === 'string' && parseUrl(origin)?.origin) || 'null'
    if (own === 'null') throw invalidOption('cors.origins', origin, 'origins such as https://dapp.example')
    // A slash at the end is the usual mistake: it is copied from the address bar.
    if (own !== origin.toLowerCase())
      throw invalidOption('cors.origins', origin, `an origin, without a slash or a path at the end: ${own}`)
  }
  if (typeof credentials !== 'boolean') throw invalidOption('cors.credentials', credentials, 'true or false')
  return { origins: new Set(origins.map((origin) => origin.toLowerCase())), credentials }
}
