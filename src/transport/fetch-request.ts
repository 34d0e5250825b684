import { NOT_SENT } from './outcome.ts'
import { followRedirects, isRedirect } from './redirects.ts'

/**
 * A standard `fetch`, such as `globalThis.fetch` or `fake.fetch`. It receives a `Request`, whose signal aborts it, and resolves to
 * a `Response`.
 */
export type FetchLike = (input: Request, init?: RequestInit) => Promise<Response>

/** A custom `fetch` resolved to something that is not a response with a body to read. */
export class InvalidFetchError extends TypeError {}

/**
 * Sends a request through `fetch`, and follows redirects within its origin. Without a custom `fetch` the global one is looked up at
 * each call, so that one that is replaced later works.
 * @throws InvalidFetchError when `fetch` resolves to something else than a response
 */
export function fetchRequest(
  request: Request,
  customFetch: FetchLike | undefined,
  signal: AbortSignal,
  onSent: () => void,
): Promise<Response> {
  const fetch = customFetch ?? globalThis.fetch
  if (typeof fetch !== 'function') {
    const message = 'This runtime has no fetch: hand one to createClient({ fetch }).'
    throw Object.assign(new TypeError(message), { code: NOT_SENT })
  }
  const init: RequestInit = { signal, redirect: 'manual' }
  let current = request
  const send = (next: Request): Promise<Response> => {
    signal.throwIfAborted()
    // A custom fetch may look at its first argument alone. The global one reads both, which spares a second Request: 20 µs.
    // `current` keeps the Request alive: in Node the signal of one that is garbage-collected no longer aborts.
    current = customFetch ? new Request(next, init) : next
    onSent()
    return Promise.resolve(customFetch ? fetch(current) : fetch(current, init)).then(checkResponse)
  }
  return send(request).then((response) =>
    isRedirect(response) ? followRedirects(request.url, response, (url) => send(new Request(url, request))) : response,
  )
}

function checkResponse(response: unknown): Response {
  if (!isResponse(response)) throw new InvalidFetchError(`fetch resolved to ${describe(response)}, not to a Response`)
  if (response.bodyUsed) throw new InvalidFetchError('fetch resolved to a Response whose body was read before')
  return response
}

/** Whether a value can be read as a response; it may come from another implementation of `fetch`. */
function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false
  const { status, headers, text } = value as Partial<Response>
  return typeof status === 'number' && typeof text === 'function' && isHeaders(headers)
}

function isHeaders(headers: Partial<Headers> | undefined): boolean {
  return typeof headers?.get === 'function' && typeof headers[Symbol.iterator] === 'function'
}

const describe = (value: unknown) => (value === null || typeof value !== 'object' ? String(value) : 'an object')
