import { matchRoute } from './match-route.ts'
import { fakeRoutes } from './routes.ts'
import type { TapeEntry } from './tape.ts'

/** The entry of an answer with a body; undefined for a body without data. */
export function entryOfBody(path: string, text: string): TapeEntry | undefined {
  const request = requestOf(path)
  const body = asObject(JSON.parse(text))
  if (!request || !body) return undefined
  // A few answers may come without an envelope.
  if (!Object.hasOwn(body, 'data')) return { ...request, data: body }
  const { data, cursor = null } = body
  return { ...request, data, ...(cursor === null ? {} : { cursor: String(cursor) }) }
}

/** The entry of an error that the service answered; undefined for one that it did not. */
export function entryOfError(path: string, error: unknown): TapeEntry | undefined {
  const request = requestOf(path)
  const { status, code, message, body } = error as Record<string, unknown>
  if (!request || typeof status !== 'number' || status < 400) return undefined
  const sent = asObject(asObject(body)?.error)
  return { ...request, error: { status, code: String(sent?.code ?? code), message: String(sent?.message ?? message) } }
}

/** The same with every text redacted, and without anything else that looks like a key. */
export function redactEntry(entry: TapeEntry, redact: (text: string) => string): TapeEntry {
  const clean = (text: string) => redact(text).replace(/esk_[A-Za-z0-9_-]+/g, 'esk_***')
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value)
    if (Array.isArray(value)) return value.map(copy)
    const fields = asObject(value)
    return fields ? Object.fromEntries(Object.entries(fields).map(([name, item]) => [clean(name), copy(item)])) : value
  }
  return copy(entry) as TapeEntry
}

/** What a path below the version prefix asks for. */
function requestOf(path: string): Pick<TapeEntry, 'operation' | 'params'> | undefined {
  const { pathname, searchParams } = new URL(`http://any/${path}`)
  const match = matchRoute(pathname)
  if (!match) return undefined
  const { chainId: _, ...params }: Record<string, unknown> = match.path
  for (const name of [...(fakeRoutes[match.operation].query ?? []), 'limit']) {
    const value = searchParams.get(name)
    if (value === null) continue
    params[name] = name === 'addresses' ? value.split(',') : name === 'limit' ? Number(value) : value
  }
  return { operation: match.operation, params }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}
