import type { AgeClock } from '../concurrency/clock.ts'
import { isEtnMarketError } from '../errors/base.ts'
import type { BudgetExceededError } from '../errors/budget.ts'
import { type OperationId, operations } from '../generated/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { isObject } from '../operations/type-guards.ts'
import type { Bought } from './purchases.ts'

/** An answer to a visitor. A `Response` is made of it only where one is asked for: it takes longer than to find an answer that was kept. */
export interface Reply {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Record<string, string | string[]>
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
}

export const toResponse = ({ status, headers, body }: Reply) =>
  new Response(body, { status, headers: headers as Record<string, string> })

export const encode = (text: string) => new TextEncoder().encode(text)

/** No page may read JSON as a script or a style sheet. */
const JSON_HEADERS = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }

/**
 * @param bought the answer, and for how long it had been kept
 * @param credits what this visitor paid for the answer, undefined for an operation that costs none, and has left, undefined without a limit
 * @param cdnMaxAgeMs how long shared caches may keep the answer, at most; 0 forbids it
 */
export function success(
  request: Request,
  { answer, keptMs }: Pick<Bought, 'answer' | 'keptMs'>,
  { cost, remaining }: { cost?: number; remaining?: number | undefined },
  cdnMaxAgeMs: number,
  ages: AgeClock,
): Reply {
  const maxAge = Math.floor(Math.min(cdnMaxAgeMs, answer.freshUntil - ages.now()) / 1_000)
  const isShared = maxAge > 0
  const ageSeconds = Math.floor(keptMs / 1_000)
  const headers: Record<string, string> = {
    ...JSON_HEADERS,
    etag: answer.etag,
    'cache-control': isShared ? `public, max-age=${maxAge + ageSeconds}` : 'private, no-cache',
  }
  // The page counts how old a price is from it, and a shared cache for how long it may keep it.
  if (ageSeconds > 0) headers.age = String(ageSeconds)
  // Copies of a shared answer cost nothing, and what one visitor has left is nobody else's business.
  if (cost !== undefined) headers['x-credits-cost'] = String(isShared ? 0 : cost)
  if (remaining !== undefined && !isShared) headers['x-credits-remaining'] = String(remaining)
  // An answer that was paid for is sent whole, so that 304 always means 0 credits.
  if (!cost && isKnown(request.headers.get('if-none-match'), answer.etag)) return { status: 304, headers, body: null }
  return { status: 200, headers, body: request.method === 'HEAD' ? null : answer.body }
}

/** Whether a request has this answer already. Tags are compared weakly, as RFC 9110 asks of `If-None-Match`. */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag))
}

/** An error as the service sends it. @param own credits that the visitor has left; Infinity without a limit */
export function failure(
  { status, code, message, retryAfterMs, headers, available }: Refusal,
  method: string,
  redact: (text: string) => string,
  own = Number.POSITIVE_INFINITY,
): Reply {
  const body = method === 'HEAD' ? null : encode(redact(JSON.stringify({ error: { code, message } })))
  const wait = retryAfterMs !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }
  const left = Math.min(own, available)
  const credits = left < Number.POSITIVE_INFINITY && { 'x-credits-remaining': String(left) }
  return { status, headers: { ...JSON_HEADERS, 'cache-control': 'no-store', ...wait, ...credits, ...headers }, body }
}

export function toBody(operation: OperationId, data: unknown): string {
  const { bareField }: Operation = operations[operation]
  if (bareField !== undefined) return JSON.stringify(data)
  if (operation !== 'prices.batch' || !isObject(data)) return JSON.stringify({ data, cursor: null })
  // The client completes prices with their addresses, and tokens without a price with null; the service sends neither.
  const prices = Object.entries(data).filter(([, price]) => isObject(price))
  const sent = prices.map(([key, price]) => [key, { ...Object(price), address: undefined }])
  return JSON.stringify({ data: Object.fromEntries(sent), cursor: null })
}

/**
 * A weak entity tag of a text: equal for equal texts on every server, and kept by a CDN that compresses. A hash of the library would be a twentieth of the
 * entry.
 */
export function etagOf(text: string): string {
  let one = 0xdeadbeef
  let other = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    one = Math.imul(one ^ code, 2_654_435_761)
    other = Math.imul(other ^ code, 1_597_334_677)
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909)
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909)
  return `W/"${hex(one)}${hex(other)}-${text.length.toString(36)}"`
}

const hex = (word: number) => (word >>> 0).toString(16).padStart(8, '0')

export class Refusal extends Error {
  readonly status: number
  readonly code: string
  /** Undefined: the answer has no `Retry-After`. */
  readonly retryAfterMs: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Credits that are left in the budget that refuses; Infinity where none does. */
  readonly available: number

  constructor(status: number, code: string, message: string, details: RefusalDetails) {
    super(message)
    // What the proxy or the service cannot do now ends by itself.
    const {
      retryAfterMs = status >= 500 ? DEFAULT_WAIT_MS : undefined,
      headers,
      available = Number.POSITIVE_INFINITY,
    } = details
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.headers = headers
    this.available = available
  }
}

type RefusalDetails = Partial<Pick<Refusal, 'retryAfterMs' | 'headers'>> & { readonly available?: number | undefined }

/** Where nobody says how long to wait. */
const DEFAULT_WAIT_MS = 1_000
/** When a page may ask again: another process takes over by then. */
const CLOSED_RETRY_MS = 5_000

export const notFound = () => refuse(404, 'not_found', 'There is nothing at this path.')
export const proxyClosed = () =>
  refuse(503, 'proxy_closed', 'The proxy is shutting down.', { retryAfterMs: CLOSED_RETRY_MS })
export const badRequest = (message: string) => refuse(400, 'invalid_request', message)

/** GET is the only method of the service; HEAD is answered from the cache. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

export const methodNotAllowed = (message: string, allow = ALLOWED_METHODS) =>
  refuse(405, 'method_not_allowed', message, { headers: { allow } })

export function refuse(status: number, code: string, message: string, details: RefusalDetails = {}): Refusal {
  return new Refusal(status, code, message, details)
}

/**
 * How the failure of a call is answered. The page's key is not to blame for a refused one, and details that only the owner of
 * the key may read are left out.
 * @param now the wall clock
 * @param limit the credits of all visitors in a window
 */
export function refusalOf(error: unknown, now: number, limit?: number): Refusal {
  if (error instanceof Refusal) return error
  if (!isEtnMarketError(error)) return refuse(500, 'internal_error', 'The proxy failed.')
  const { name, code, message, status, retryAfterMs } = error
  const wait = { retryAfterMs }
  if (/^Invalid(Request|Limit)Error$/.test(name)) return refuse(400, code, message)
  if (/^(Authentication|Permission|InsufficientCredits)Error$/.test(name))
    return refuse(502, 'upstream_refused', 'The service refuses the calls of this proxy. Tell its operator.', wait)
  if (name === 'NotFoundError' && code !== 'front_error') return refuse(404, code, message)
  if (/^(RateLimit|ServerBusy)Error$/.test(name) || (name === 'ServiceError' && status === 503))
    return refuse(503, 'upstream_busy', 'The service is busy. Try again later.', wait)
  if (name === 'TimeoutError')
    return refuse(504, 'upstream_timeout', 'The service did not answer in time. Try again.', wait)
  if (name === 'BudgetExceededError') return overBudget(error as BudgetExceededError, 'proxy', now, limit)
  if (name === 'StateUnavailableError')
    return refuse(503, code, 'The proxy cannot reach its budget, so it sends nothing.')
  if (code === 'client_closed' || code === 'feed_closed') return proxyClosed()
  return refuse(502, 'upstream_failed', 'The service did not answer as it should. Try again.', wait)
}

/** @param limit the credits in a whole window, of one visitor or of all; undefined where nobody knows */
export function overBudget(
  { needed, resetsAt, available }: Pick<BudgetExceededError, 'needed' | 'resetsAt'> & Pick<RefusalDetails, 'available'>,
  of: 'visitor' | 'proxy',
  now: number,
  limit = Number.POSITIVE_INFINITY,
): Refusal {
  const [code, who, spent] =
    of === 'visitor'
      ? ['visitor_budget_exceeded', 'a visitor has', 'You have used up your']
      : ['budget_exceeded', 'all visitors together have', 'The proxy has used up its']
  const message =
    needed > limit
      ? `The call may cost ${needed} credits, and ${who} ${limit} at most: it never fits. Ask for less.`
      : `${spent} credits. Try again later.`
  return refuse(429, code, message, { retryAfterMs: resetsAt && resetsAt - now, available })
}
