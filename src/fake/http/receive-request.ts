import type { FakeRequest } from '../faults/fault-options.ts'
import { cut } from '../rules/check-options.ts'
import { type JournalEntry, maskKey } from '../rules/journal.ts'
import { matchRoute, pathBelowVersion, type RouteMatch } from '../rules/match-route.ts'
import { nearestRoute } from '../rules/nearest-route.ts'
import { methodNotAllowed, notFound, type Rejection } from '../rules/rejections.ts'
import { fakeRoutes } from '../rules/routes.ts'
import type { Session } from './session.ts'

/** A request in the form that every transport provides. */
export interface IncomingRequest {
  method: string
  url: string
  headers: Headers
  signal: AbortSignal | undefined
}

/** A request in the journal and the route it matched. */
export interface IncomingContext {
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
export function receiveRequest(session: Session, incoming: IncomingRequest): IncomingContext {
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
