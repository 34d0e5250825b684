import { isPromise } from '../../utils/runtime.ts'
import { alterReply, type Delivery, deliveryOf, faultReply, skipsExecution } from '../faults/effects.ts'
import type { FakeRequest, FaultEffects } from '../faults/fault-options.ts'
import type { MatchedFaults } from '../faults/faults.ts'
import { cut } from '../rules/check.ts'
import type { ServiceClock } from '../rules/clock.ts'
import { admit, type ExecutionResult, execute, type QueryResult } from '../rules/execute.ts'
import { type JournalEntry, maskKey } from '../rules/journal.ts'
import {
  failure,
  methodNotAllowed,
  notFound,
  preflight,
  type Rejection,
  type Reply,
  success,
  withCommonHeaders,
} from '../rules/reply.ts'
import { fakeRoutes, matchRoute, nearestRoute, pathBelowVersion, type RouteMatch } from '../rules/routes.ts'
import type { Session } from './session.ts'

/** A request in the form that every transport provides. */
export interface IncomingRequest {
  method: string
  url: string
  headers: Headers
  signal: AbortSignal | undefined
}

/** A request in the journal and the route it matched. */
interface IncomingContext {
  entry: JournalEntry
  query: URLSearchParams
  /** The route; `undefined` if there is a `rejection`. */
  match: RouteMatch | undefined
  rejection: Rejection | undefined
  key: string | undefined
  /** The request as a fault's `when` receives it. */
  request: FakeRequest | undefined
}

/** Enters a request in the journal and finds its route. */
function receiveRequest(session: Session, incoming: IncomingRequest): IncomingContext {
  const { baseUrl } = session.settings
  const url = new URL(incoming.url)
  const { method, headers } = incoming
  const path = pathOf(baseUrl, url)
  const found = path === undefined ? undefined : matchRoute(path)
  const operation = found?.operation ?? null
  const seen = {
    method,
    url: url.href,
    path: path ?? url.pathname,
    query: Object.fromEntries(url.searchParams),
  }
  const key = keyOf(headers)
  const isOwn = key !== null && session.accounts.find(key) !== undefined
  const mask = (text: string) =>
    text.replace(/esk_\w+/g, (found) => (session.accounts.find(found) ? found : maskKey(found)))
  const listed = {
    ...seen,
    url: mask(seen.url),
    path: mask(seen.path),
    query: Object.fromEntries(Object.entries(seen.query).map(([name, value]) => [mask(name), mask(value)])),
    key: key === null || isOwn ? key : maskKey(key),
    ...(session.settings.journal.headers ? { headers: listHeaders(headers, key, isOwn) } : {}),
  }
  const heavy = operation !== null && fakeRoutes[operation].heavy === true
  const entry = session.journal.start({ at: session.now(), ...listed, operation, heavy })
  const wrongMethod = method === 'GET' ? undefined : methodNotAllowed(method)
  const rejection = found ? wrongMethod : unknownRoute(baseUrl, url, path)
  const match = rejection ? undefined : found
  const request = match && { ...seen, key, operation: match.operation, headers, attempt: entry.attempt }
  return { entry, query: url.searchParams, match, rejection, request, key: key ?? undefined }
}

/** The path below the version prefix, or below the path of the fake's `baseUrl`. The origin is ignored. */
function pathOf(baseUrl: string | undefined, { pathname }: URL): string | undefined {
  if (baseUrl === undefined) return pathBelowVersion(pathname)
  const prefix = new URL(`${baseUrl}/`).pathname
  return pathname.startsWith(prefix) ? pathname.slice(prefix.length - 1) : undefined
}

function keyOf(headers: Headers): string | null {
  return /^Bearer +(\S.*)/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}

function listHeaders(headers: Headers, key: string | null, isOwn: boolean): Record<string, string> {
  const listed = Object.fromEntries(headers)
  if (key !== null && !isOwn) listed.authorization = `Bearer ${maskKey(key)}`
  return listed
}

function unknownRoute(baseUrl: string | undefined, url: URL, path: string | undefined): Rejection {
  if (path === undefined)
    return notFound(`This fake answers below the path of ${baseUrl}, not at ${cut(url.pathname)}.`)
  const nearest = nearestRoute(path)
  return notFound(`There is no route ${cut(path)}. The nearest is ${nearest.path} (${nearest.operation}).`)
}

/** An answer for the transport: its content, how it is delivered, and callbacks about the delivery. */
export interface Exchange {
  reply: Reply
  delivery: Delivery
  /** Call it when the whole answer was handed over. */
  delivered(): void
  /** Rejects with the reason when the caller gives up or the service is closed. */
  waitForEnd(signal: AbortSignal | undefined): Promise<void>
  /** Call it when nothing more follows: frees what the request held. Further calls do nothing. */
  finish(): void
}

const NO_REPLY: Reply = { status: 0, headers: [], body: null }

/** Handles one request, from arrival to answer. Rejects if the caller gives up or the service is closed meanwhile. */
export async function handleRequest(
  session: Session,
  clock: ServiceClock,
  incoming: IncomingRequest,
): Promise<Exchange> {
  const { cors } = session.settings
  const waitForEnd = (signal: AbortSignal | undefined) => clock.wait(Number.POSITIVE_INFINITY, signal)
  if (incoming.method === 'OPTIONS' && cors !== false) {
    const reply = preflight(cors, session.now(), incoming.headers.get('access-control-request-headers'))
    return { reply, delivery: { kind: 'whole' }, delivered() {}, waitForEnd, finish() {} }
  }
  const context = receiveRequest(session, incoming)
  clock.noteActivity()
  let result: ExecutionResult | undefined
  const finish = () => finishRequest(session, context, result)
  try {
    const found = findFaults(session, context)
    const effects = isPromise(found) ? await found : found
    const executed = skipsExecution(effects) ? undefined : executeRequest(session, context, effects)
    result = isPromise(executed) ? await executed : executed
    const latency = latencyOf(session, context, result, effects)
    if (latency > 0) await clock.wait(latency, incoming.signal)
    const original = faultReply(effects) ?? (result ? replyTo(result) : NO_REPLY)
    const reply = await alterReply(withCommonHeaders(original, session.now(), cors), effects, session.now())
    const delivery = deliveryOf(effects, reply)
    if (delivery.kind !== 'reset') Object.assign(context.entry, { status: reply.status, code: reply.code ?? null })
    return { reply, delivery, delivered: () => markDelivered(context, result, original), waitForEnd, finish }
  } catch (error) {
    finish()
    throw error
  }
}

/** The effects of the faults that match this request; none without one. */
function findFaults(session: Session, { entry, request }: IncomingContext): FaultEffects | Promise<FaultEffects> {
  const note = (matched: MatchedFaults | undefined): FaultEffects => {
    if (!matched) return {}
    entry.fault = matched.label
    return matched.effects
  }
  const matched = request && session.faults.match(request)
  return isPromise(matched) ? matched.then(note) : note(matched)
}

/** Without a stub it is synchronous: what is charged is charged when the request arrives. */
function executeRequest(
  session: Session,
  { match, rejection, query, entry, key }: IncomingContext,
  { charge }: FaultEffects,
): ExecutionResult | undefined | Promise<ExecutionResult> {
  if (rejection) return { rejection }
  if (!match) return undefined
  const admission = admit(session, { match, query, key, request: entry.id })
  if ('rejection' in admission) return admission
  const { admitted } = admission
  const finish = (found: QueryResult | undefined) => {
    const result = execute(session, admitted, found, charge !== false)
    if (!result.rejection && result.charge) entry.credits = result.charge.credits
    return result
  }
  const stubbed = session.stubs.answer(admitted, () => session.find(admitted))
  return stubbed ? stubbed.then(finish) : finish(session.find(admitted))
}

function latencyOf(
  { settings }: Session,
  { match }: IncomingContext,
  result: ExecutionResult | undefined,
  { never, delayMs = 0 }: FaultEffects,
): number {
  if (never) return Number.POSITIVE_INFINITY
  const isExecuted = result !== undefined && !result.rejection
  const isHeavy = isExecuted && match && fakeRoutes[match.operation].heavy
  return settings.latencyMs + (isHeavy ? settings.heavyLatencyMs : 0) + delayMs
}

function replyTo(result: ExecutionResult): Reply {
  return result.rejection ? failure(result.rejection) : success(result.data, result.cursor, result.receipt)
}

function markDelivered({ entry }: IncomingContext, result: ExecutionResult | undefined, original: Reply): void {
  entry.delivered = true
  if (result && !result.rejection && result.charge) result.charge.delivered = original.status === 200
}

function finishRequest(session: Session, { entry }: IncomingContext, result: ExecutionResult | undefined): void {
  if (entry.finished) return
  session.journal.finish(entry)
  if (result && !result.rejection) result.free()
  logLine(session.settings.log, lineOf(entry))
}

/** Logging never fails a request, nor the process. */
function logLine(log: ((line: string) => unknown) | undefined, line: string): void {
  try {
    const result = log?.(line)
    if (isPromise(result)) result.catch(() => {})
  } catch {
    // The request is not affected.
  }
}

function lineOf({ id, method, path, status, code, credits, fault }: JournalEntry): string {
  const outcome = status === null ? 'no answer' : code === null ? String(status) : `${status} ${code}`
  return `#${id} ${method} ${path}: ${outcome}, ${credits} credits${fault === null ? '' : ` [${fault}]`}`
}
