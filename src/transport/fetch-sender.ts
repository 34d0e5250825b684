import { NOT_SENT } from './outcome.ts'
import { followRedirects, isRedirect } from './redirects.ts'
import { readText } from './response-text.ts'
import type { FetchInit, FetchLike, FetchResponse } from './transport.ts'

/** Connections of Deno, in its own words an `HttpClient`. */
interface DenoClient {
  close(): void
}
interface DenoApi {
  createHttpClient?(options: { poolMaxIdlePerHost: number }): DenoClient
}

/** A custom `fetch` resolved to something that is not a response with a body to read. */
export class InvalidFetchError extends TypeError {}

/** Sends requests through `fetch`, each of them once. */
export class FetchSender {
  readonly #fetch: FetchLike | undefined
  #denoClient: DenoClient | undefined

  /** @param fetch the global one by default, looked up at each call, so that one that is replaced later works */
  constructor(fetch: FetchLike | undefined) {
    this.#fetch = fetch
  }

  /**
   * Hands URL and init to `fetch`, which may be another copy that does not know a `Request` of this runtime. In Node the signal of a `Request`
   * that is garbage-collected no longer aborts.
   * @throws InvalidFetchError for what is no response
   */
  async send(request: Request, signal: AbortSignal, beforeSend: () => void): Promise<Response> {
    const fetch: FetchLike | undefined = this.#fetch ?? globalThis.fetch
    if (typeof fetch !== 'function') {
      const message = 'This runtime has no fetch: hand one to createClient({ fetch }).'
      throw Object.assign(new TypeError(message), { code: NOT_SENT })
    }
    const init = this.#initOf(request, signal)
    const send = async (url: string): Promise<Response> => {
      signal.throwIfAborted()
      beforeSend()
      return checkResponse(await fetch(url, init))
    }
    const first = await send(request.url)
    return isRedirect(first) ? followRedirects(request.url, first, send) : first
  }

  close(): void {
    this.#denoClient?.close()
    this.#denoClient = undefined
  }

  #initOf({ method, headers, body, credentials, cache }: Request, signal: AbortSignal): FetchInit {
    const init: FetchInit = {
      method,
      headers: Object.fromEntries(headers),
      redirect: 'manual',
      signal,
      // A hook may have returned a Request with them. Some runtimes know none of them.
      ...(credentials && { credentials }),
      ...(cache && { cache }),
      ...(body && { body, duplex: 'half' }),
      // Bun and Deno send a GET again by themselves when a kept connection breaks: it is charged twice and counted once.
      ...('Bun' in globalThis && { keepalive: false }),
    }
    const { Deno } = globalThis as { Deno?: DenoApi }
    if (Deno?.createHttpClient === undefined) return init
    // Made when a fetch reads it, for one of the user may be no fetch of Deno.
    const client = () => (this.#denoClient ??= Deno.createHttpClient?.({ poolMaxIdlePerHost: 0 }))
    return Object.defineProperty(init, 'client', { get: client, enumerable: true })
  }
}

/** Hooks, and ky around them, get a Response of this runtime, whatever `fetch` has made. */
export async function toStandard(response: FetchResponse, maxBytes: number): Promise<Response> {
  if (response instanceof Response) return response
  const { status, headers } = response
  return new Response((await readText(response, maxBytes)) || null, { status, headers: [...headers] })
}

/** It may come from another implementation of `fetch`. */
function checkResponse(value: unknown): Response {
  const { status, headers, text, bodyUsed } = Object(value) as Partial<Response>
  const hasHeaders = typeof headers?.get === 'function' && typeof headers[Symbol.iterator] === 'function'
  if (typeof status !== 'number' || typeof text !== 'function' || !hasHeaders) {
    const given = value === null || typeof value !== 'object' ? String(value) : 'an object'
    throw new InvalidFetchError(`fetch resolved to ${given}, not to a Response`)
  }
  if (bodyUsed) throw new InvalidFetchError('fetch resolved to a Response whose body was read before')
  return value as Response
}
