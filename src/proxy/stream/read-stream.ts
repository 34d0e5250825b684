import { badRequest } from '../refusal.ts'
import type { StreamSettings } from './stream-settings.ts'

/** What a stream is asked for. */
export interface StreamRequest {
  /** Sorted, each once, as the visitor wrote them. */
  readonly addresses: readonly string[]
  readonly everyMs: number
}

const DEFAULT_EVERY_MS = 60_000
const MAX_EVERY_MS = 86_400_000
/** Longer than 150 encoded addresses. */
const MAX_QUERY_LENGTH = 8_192

/**
 * @param check throws the client's error for addresses that are none
 * @throws Refusal for a query that is not accepted, or the error of `check`
 */
export function readStream(
  url: URL,
  settings: StreamSettings,
  check: (addresses: readonly string[]) => void,
): StreamRequest {
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
  check(addresses)
  return { addresses, everyMs: Math.max(settings.minEveryMs, readInterval(query.get('everyMs'))) }
}

function readInterval(text: string | null): number {
  if (text === null) return DEFAULT_EVERY_MS
  const everyMs = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (everyMs === 0) throw badRequest('stream: everyMs must be a number of milliseconds above 0.')
  return Math.min(everyMs, MAX_EVERY_MS)
}
