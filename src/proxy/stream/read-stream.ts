import { badRequest, refuse } from '../refusal.ts'
import type { StreamSettings } from './stream-settings.ts'

/** What a stream is asked for. */
export interface StreamRequest {
  /** Sorted, each once, as the visitor wrote them. */
  readonly addresses: readonly string[]
  readonly everyMs: number
}

const DEFAULT_EVERY_MS = 60_000
const MAX_EVERY_MS = 86_400_000
const MAX_QUERY_LENGTH = 4_096

/** @throws Refusal for a query that is not accepted; the feed rejects invalid addresses */
export function readStream(url: URL, settings: StreamSettings): StreamRequest {
  const { searchParams: query, search } = url
  if (search.length > MAX_QUERY_LENGTH) throw badRequest(`The query has more than ${MAX_QUERY_LENGTH} characters.`)
  for (const name of new Set(query.keys())) {
    if (name !== 'addresses' && name !== 'everyMs') throw badRequest('The stream takes addresses and everyMs.')
    if (query.getAll(name).length > 1) throw badRequest(`stream: ${name} is given twice.`)
  }
  const text = query.get('addresses') ?? ''
  const addresses = [...new Set(text === '' ? [] : text.split(','))].sort()
  const { maxAddresses } = settings
  if (addresses.length === 0 || addresses.length > maxAddresses)
    throw badRequest(`stream: ${addresses.length} addresses. It takes 1 to ${maxAddresses}.`)
  if (addresses.some((address) => settings.addresses && !settings.addresses.has(address.toLowerCase())))
    throw refuse(403, 'not_allowed', 'The stream has some addresses only, and not all of these.')
  return { addresses, everyMs: Math.max(settings.minEveryMs, readInterval(query.get('everyMs'))) }
}

function readInterval(text: string | null): number {
  if (text === null) return DEFAULT_EVERY_MS
  const everyMs = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (everyMs === 0) throw badRequest('stream: everyMs must be a number of milliseconds above 0.')
  return Math.min(everyMs, MAX_EVERY_MS)
}
