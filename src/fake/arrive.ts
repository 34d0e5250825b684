import type { FakeRequest } from './fault-options.ts'
import type { JournalEntry } from './journal.ts'
import { type Match, matchRoute, pathBelowVersion } from './match.ts'
import { nearestRoute } from './nearest.ts'
import { methodNotAllowed, notFound, type Refusal } from './refusal.ts'
import { fakeRoutes } from './routes.ts'
import type { Run } from './run.ts'

/** A request as every shell hands it over. */
export interface Incoming {
  method: string
  url: string
  headers: Headers
  signal: AbortSignal | undefined
}

/** A request that was entered in the journal. */
export interface Visit {
  entry: JournalEntry
  query: URLSearchParams
  /** What it asks for; without it, why it cannot be asked. */
  match: Match | undefined
  lost: Refusal | undefined
  /** The request as a fault's `when` sees it. */
  view: FakeRequest | undefined
}

/** Enters a request in the journal and finds its route. */
export function arrive(run: Run, incoming: Incoming): Visit {
  const url = new URL(incoming.url)
  const { method, headers } = incoming
  const path = pathOf(run.settings.baseUrl, url)
  const found = path === undefined ? undefined : matchRoute(path)
  const operation = found?.operation ?? null
  const seen = {
    method,
    url: url.href,
    path: path ?? url.pathname,
    query: Object.fromEntries(url.searchParams),
    key: keyOf(headers),
  }
  const heavy = operation !== null && fakeRoutes[operation].heavy === true
  const entry = run.journal.open({ at: run.now(), ...seen, operation, heavy })
  const lost = found
    ? method === 'GET'
      ? undefined
      : methodNotAllowed(method)
    : unknownRoute(run.settings.baseUrl, url, path)
  const match = lost ? undefined : found
  const view = match && { ...seen, operation: match.operation, headers, attempt: entry.attempt }
  return { entry, query: url.searchParams, match, lost, view }
}

/** The path below the version prefix, or below the base URL's when the fake was given one; its origin does not matter. */
function pathOf(baseUrl: string | undefined, { pathname }: URL): string | undefined {
  if (baseUrl === undefined) return pathBelowVersion(pathname)
  const prefix = new URL(`${baseUrl}/`).pathname
  return pathname.startsWith(prefix) ? pathname.slice(prefix.length - 1) : undefined
}

function keyOf(headers: Headers): string | null {
  return /^Bearer +(.*\S)/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}

function unknownRoute(baseUrl: string | undefined, url: URL, path: string | undefined): Refusal {
  if (path === undefined) return notFound(`This fake answers below the path of ${baseUrl}, not at ${url.pathname}.`)
  const nearest = nearestRoute(path)
  return notFound(`There is no route ${path}. The nearest is ${nearest.path} (${nearest.operation}).`)
}
