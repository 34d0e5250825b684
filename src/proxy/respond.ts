import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import type { Answer } from './answer-cache.ts'
import type { RefusalDetails } from './refusal.ts'

export interface SuccessDetails {
  readonly answer: Answer
  /** Credits that this visitor paid for it; undefined for an operation that costs none. */
  readonly cost: number | undefined
  /** Credits that the visitor has left; undefined without a limit. */
  readonly remaining: number | undefined
  /** How long shared caches may keep it, at most, milliseconds; 0 forbids it. */
  readonly cdnMaxAgeMs: number
}

/** No page may read JSON as a script or a style sheet. */
const JSON_HEADERS = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }

export function success(request: Request, details: SuccessDetails, clock: Clock): Response {
  const { answer, cost, remaining } = details
  const maxAge = Math.floor(Math.min(details.cdnMaxAgeMs, answer.freshUntil - monotonicNow(clock)) / 1_000)
  const isShared = maxAge > 0
  const headers: Record<string, string> = {
    ...JSON_HEADERS,
    etag: answer.etag,
    'cache-control': isShared ? `public, max-age=${maxAge}` : 'private, no-cache',
  }
  // Copies of a shared answer cost nothing, and what one visitor has left is nobody else's business.
  if (cost !== undefined) headers['x-credits-cost'] = String(isShared ? 0 : cost)
  if (cost !== undefined && remaining !== undefined && !isShared) headers['x-credits-remaining'] = String(remaining)
  // An answer that was paid for is sent whole, so that 304 always means 0 credits.
  if (!cost && isKnown(request.headers.get('if-none-match'), answer.etag))
    return new Response(null, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? null : answer.body, { headers })
}

/** Whether a request has this answer already. Tags are compared weakly, as RFC 9110 asks of `If-None-Match`. */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag))
}

/** An error as the service sends it. @param remaining credits that the visitor has left; undefined where nobody knows */
export function failure(
  details: RefusalDetails,
  method: string,
  redact: (text: string) => string,
  remaining?: number,
): Response {
  const { status, code, message, retryAfterMs, headers } = details
  const body = method === 'HEAD' ? null : redact(JSON.stringify({ error: { code, message } }))
  const wait = retryAfterMs !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }
  const left = remaining !== undefined && { 'x-credits-remaining': String(remaining) }
  return new Response(body, {
    status,
    headers: { ...JSON_HEADERS, 'cache-control': 'no-store', ...wait, ...left, ...headers },
  })
}
