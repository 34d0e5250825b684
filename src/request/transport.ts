import ky from 'ky'
import { orAborted } from '../abort.ts'
import { type Clock, startTimer } from '../clock.ts'
import type { FetchLike } from '../options.ts'
import type { Loss, TripEnd } from './types.ts'

export interface Trip {
  readonly url: string
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  /** Ends the trip from outside. */
  readonly signal: AbortSignal
}

export type Transport = (trip: Trip) => Promise<TripEnd>

/** What ky's hook is handed for one request, and what it brings back. */
interface Errand {
  readonly url: string
  readonly init: RequestInit
  response: Response | undefined
}

const MOST_REDIRECTS = 3
/** Codes of failures in which no byte of the request can have reached the service. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|CERT_\w+|ERR_TLS_\w+|ERR_SSL_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/

/**
 * One request and its whole answer. Every end is told apart: an answer, or how it got lost and whether it was sent.
 * ky carries the request; retries, timeouts and errors are ours, because what was charged depends on them.
 */
export function createTransport(clock: Clock, fetchOption: FetchLike | undefined): Transport {
  const http = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    hooks: {
      beforeRequest: [
        // Returning the response spares ky a clone of its request; a Response of another realm would make it send a second one.
        async (_request, options) => {
          const errand = (options.context as { errand: Errand }).errand
          const send = fetchOption ?? globalThis.fetch
          errand.response = await send(errand.url, errand.init)
          return errand.response instanceof Response ? errand.response : new Response()
        },
      ],
    },
  })

  async function fetchOnce(url: string, init: RequestInit): Promise<Response> {
    const errand: Errand = { url, init, response: undefined }
    const response = await http(url, { context: { errand } })
    return errand.response ?? response
  }

  return async ({ url, apiKey, timeoutMs, signal }) => {
    if (typeof (fetchOption ?? globalThis.fetch) !== 'function') {
      const cause = new TypeError('This runtime has no fetch: hand one to createClient({ fetch }).')
      return { loss: { kind: 'network', sent: false, reply: undefined, cause } }
    }
    const attempt = new AbortController()
    const seen: { status?: number; headers?: Headers } = {}
    let end: Loss['kind'] = 'network'
    const stop = (kind: Loss['kind'], reason: unknown) => {
      if (attempt.signal.aborted) return
      end = kind
      attempt.abort(reason)
    }
    const onAbort = () => stop('aborted', signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const stopTimer = startTimer(clock, timeoutMs, () =>
      stop('timeout', new DOMException('No answer in time', 'TimeoutError')),
    )
    const headers: Record<string, string> = { accept: 'application/json' }
    if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`
    try {
      const exchange = async (): Promise<TripEnd> => {
        const response = await follow(
          url,
          { method: 'GET', headers, signal: attempt.signal, redirect: 'manual' },
          fetchOnce,
        )
        if (isRedirect(response))
          return { loss: { kind: 'redirect', sent: true, reply: undefined, cause: target(response) } }
        seen.status = response.status
        seen.headers = response.headers
        return { reply: { status: response.status, headers: response.headers, text: await response.text() } }
      }
      // A fetch of somebody's own may not listen to its signal.
      return await orAborted(exchange(), attempt.signal)
    } catch (cause) {
      const { status, headers: answered } = seen
      const reply =
        status === undefined || answered === undefined ? undefined : { status, headers: answered, text: undefined }
      return { loss: { kind: end, sent: end !== 'network' || !neverSent(cause), reply, cause } }
    } finally {
      stopTimer()
      signal.removeEventListener('abort', onAbort)
    }
  }
}

/** The key never goes to another origin, so redirects are only followed within one. */
async function follow(
  url: string,
  init: RequestInit,
  send: (url: string, init: RequestInit) => Promise<Response>,
): Promise<Response> {
  let here = url
  let response = await send(here, init)
  for (let hops = 0; hops < MOST_REDIRECTS && isRedirect(response); hops++) {
    const next = target(response)
    if (next === undefined || !URL.canParse(next, here)) break
    const there = new URL(next, here)
    if (there.origin !== new URL(here).origin) break
    await response.body?.cancel()
    here = there.href
    response = await send(here, init)
  }
  return response
}

function isRedirect(response: Response): boolean {
  return response.type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(response.status)
}

function target(response: Response): string | undefined {
  return response.headers.get('location') ?? undefined
}

function neverSent(cause: unknown): boolean {
  for (let error = cause, depth = 0; typeof error === 'object' && error !== null && depth < 5; depth++) {
    const { code, errors, cause: deeper } = error as { code?: unknown; errors?: unknown; cause?: unknown }
    if (Array.isArray(errors) && errors.length > 0) return errors.every(neverSent)
    if (typeof code === 'string' && NEVER_SENT.test(code)) return true
    error = deeper
  }
  return false
}
