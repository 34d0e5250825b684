import { once } from '../../utils/once.ts'
import { callSafely, isPromise } from '../../utils/runtime.ts'
import { alterReply, type Delivery, deliveryOf, faultReply, skipsExecution } from '../faults/effects.ts'
import type { FaultEffects } from '../faults/fault-options.ts'
import { cut } from '../rules/check.ts'
import type { ServiceClock } from '../rules/clock.ts'
import { type Answer, admit, execute, type QueryResult } from '../rules/execute.ts'
import { isHeavy, type JournalEntry, outcomeOf } from '../rules/journal.ts'
import { notFound, preflight, Rejection, type Reply, success, withCommonHeaders } from '../rules/reply.ts'
import { matchRoute, nearestRoute, pathBelowVersion } from '../rules/routes.ts'
import type { Session } from './session.ts'

export interface IncomingRequest {
  method: string
  url: URL
  headers: Headers
  signal: AbortSignal | undefined
  /** Kept while its signal is listened to: in Node the signal of a `Request` that is garbage-collected no longer aborts. */
  owner?: object | undefined
}

/** A request in the journal. */
type Received = ReturnType<typeof receive>

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

export type Handle = (incoming: IncomingRequest) => Promise<Exchange>

const NO_REPLY: Reply = { status: 0, headers: [], body: null }

/** Handles one request, from arrival to answer. Rejects if the caller gives up or the service is closed meanwhile. */
export async function handleRequest(
  session: Session,
  clock: ServiceClock,
  incoming: IncomingRequest,
): Promise<Exchange> {
  const { cors, latencyMs, heavyLatencyMs } = session.settings
  const waitForEnd = (signal: AbortSignal | undefined) => clock.wait(Number.POSITIVE_INFINITY, signal)
  if (incoming.method === 'OPTIONS' && cors !== false) {
    const reply = preflight(cors, session.now(), incoming.headers.get('access-control-request-headers'))
    return { reply, delivery: { kind: 'whole' }, delivered() {}, waitForEnd, finish() {} }
  }
  const received = receive(session, incoming)
  const { entry } = received
  clock.noteActivity()
  let answer: Answer | undefined
  const finish = () => finishRequest(session, entry, answer)
  try {
    const found = findFaults(session, received)
    const effects = isPromise(found) ? await found : found
    let original = faultReply(effects)
    try {
      const executed = skipsExecution(effects) ? undefined : executeRequest(session, received, effects)
      answer = isPromise(executed) ? await executed : executed
      original ??= answer ? success(answer) : NO_REPLY
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      original ??= error.reply
    }
    const { never, delayMs = 0 } = effects
    const heavyMs = answer && isHeavy(entry) ? heavyLatencyMs : 0
    const latency = never ? Number.POSITIVE_INFINITY : latencyMs + heavyMs + delayMs
    if (latency > 0) await clock.wait(latency, incoming.signal)
    const reply = await alterReply(withCommonHeaders(original, session.now(), cors), effects, session.now())
    const delivery = deliveryOf(effects, reply)
    if (delivery.kind !== 'reset') Object.assign(entry, { status: reply.status, code: reply.code ?? null })
    const delivered = () => {
      entry.delivered = true
      if (answer?.charge) answer.charge.delivered = effects.front === undefined && original.status === 200
    }
    return { reply, delivery, delivered, waitForEnd, finish }
  } catch (error) {
    finish()
    throw error
  }
}

/** Enters a request in the journal and finds its route. */
function receive(session: Session, incoming: IncomingRequest) {
  const { baseUrl, journal } = session.settings
  const { method, url, headers } = incoming
  const path = pathOf(baseUrl, url)
  const match = path === undefined ? undefined : matchRoute(path)
  const key = /^Bearer +(\S.*)/i.exec(headers.get('authorization') ?? '')?.[1]
  const listed = key === undefined ? null : session.listKey(key)
  const masked = listed === null || listed === key ? {} : { authorization: `Bearer ${listed}` }
  const mask = (text: string) => text.replace(/esk_\w+/g, (found) => session.listKey(found))
  const arrival = {
    at: session.now(),
    method,
    url: mask(url.href),
    path: mask(path ?? url.pathname),
    query: Object.fromEntries([...url.searchParams].map(([name, value]) => [mask(name), mask(value)])),
    key: listed,
    ...(journal.headers ? { headers: { ...Object.fromEntries(headers), ...masked } } : {}),
    operation: match?.operation ?? null,
  }
  return { ...incoming, entry: session.journal.start(arrival), path, match, key }
}

/** The path below the version prefix, or below the path of the fake's `baseUrl`; undefined elsewhere. The origin is ignored. */
function pathOf(baseUrl: string | undefined, { pathname }: URL): string | undefined {
  if (baseUrl === undefined) return pathBelowVersion(pathname)
  const prefix = new URL(`${baseUrl}/`).pathname
  return pathname.startsWith(prefix) ? pathname.slice(prefix.length - 1) : undefined
}

/** The effects of the faults that match this request; none without one. A request without a route has none. */
function findFaults(session: Session, received: Received): FaultEffects | Promise<FaultEffects> {
  const { entry, url, path = '', method, headers, match, key = null } = received
  if (!match || method !== 'GET') return {}
  const { operation } = match
  const request = once(() => {
    const query = Object.fromEntries(url.searchParams)
    return { method, url: url.href, path, query, key, operation, headers }
  })
  return session.faults.match({ operation, key }, request, (labels) => {
    entry.fault = labels
  })
}

/** Without a stub it is synchronous: what is charged is charged when the request arrives. */
function executeRequest(
  session: Session,
  { match, url, path, method, entry, key }: Received,
  { charge }: FaultEffects,
): Answer | Promise<Answer> {
  if (path === undefined)
    throw notFound(`This fake answers below the path of ${session.settings.baseUrl}, not at ${cut(url.pathname)}.`)
  if (!match) {
    const nearest = nearestRoute(path)
    throw notFound(`There is no route ${cut(path)}. The nearest is ${nearest.path} (${nearest.operation}).`)
  }
  if (method !== 'GET') {
    const message = `Every call is a GET; ${cut(method)} is not answered.`
    throw new Rejection(405, 'method_not_allowed', message, [['Allow', 'GET']])
  }
  const admitted = admit(session, { match, query: url.searchParams, key, request: entry.id })
  const finish = (found: QueryResult | undefined) => {
    const answer = execute(session, admitted, found, charge !== false)
    entry.credits = answer.charge?.credits ?? 0
    return answer
  }
  const stubbed = session.stubs.answer(admitted, () => session.find(admitted))
  return stubbed ? stubbed.then(finish) : finish(session.find(admitted))
}

function finishRequest({ journal, settings }: Session, entry: JournalEntry, answer: Answer | undefined): void {
  if (entry.finished) return
  journal.finish(entry)
  answer?.free()
  const { id, method, path, credits, fault } = entry
  const label = fault === null ? '' : ` [${fault}]`
  callSafely(settings.log, `#${id} ${method} ${path}: ${outcomeOf(entry)}, ${credits} credits${label}`)
}
