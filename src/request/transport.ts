import ky from 'ky'
import type { Cancel } from '../abort.ts'
import { type Clock, startTimer } from '../clock.ts'
import type { FetchLike } from '../options.ts'
import type { Loss, TripEnd } from './types.ts'

export interface Trip {
  readonly url: string
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  /** Ends the trip from outside. */
  readonly signal: Cancel
}

export type Transport = (trip: Trip) => Promise<TripEnd>

/** What ky's hook is handed for one request, and what it brings back. */
interface Errand {
  readonly url: string
  readonly init: RequestInit
  readonly progress: Progress
  response: Response | undefined
}

/** How far a trip has come. */
interface Progress {
  sent?: boolean
  status?: number
  headers?: Headers
}

const MOST_REDIRECTS = 3
const NOT_SENT = { code: 'ERR_NO_FETCH' }
/** Codes of failures in which no byte of the request can have reached the service. */
const NEVER_SENT =
  /^(ERR_NO_FETCH|ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|CERT_\w+|ERR_TLS_CERT_\w+|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|\w*HANDSHAKE_FAILURE|TLSV1_ALERT_\w+)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/

/**
 * One request and its whole answer. Every end is told apart: an answer, or how it got lost and whether it was sent.
 * ky carries the request; retries, timeouts and errors are ours, because what was charged depends on them.
 */
export function createTransport(clock: Clock, fetchOption: FetchLike | undefined): Transport {
  // Their fetch sends a request again, unseen, when a connection breaks that was open before: charged twice, counted once.
  const resends = 'Bun' in globalThis || 'Deno' in globalThis
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
          if (typeof send !== 'function')
            throw Object.assign(
              new TypeError('This runtime has no fetch: hand one to createClient({ fetch }).'),
              NOT_SENT,
            )
          errand.init.signal?.throwIfAborted()
          errand.progress.sent = true
          errand.response = await send(errand.url, errand.init)
          return errand.response instanceof Response ? errand.response : new Response()
        },
      ],
    },
  })

  async function fetchOnce(url: string, init: RequestInit, progress: Progress): Promise<Response> {
    const errand: Errand = { url, init, progress, response: undefined }
    const response = await http(url, { context: { errand } })
    return errand.response ?? response
  }

  async function exchange(url: string, init: RequestInit, progress: Progress): Promise<TripEnd> {
    const response = await follow(url, (there) => fetchOnce(there, init, progress))
    if (isRedirect(response))
      return { loss: { kind: 'redirect', sent: true, reply: undefined, cause: target(response) } }
    const { status, headers } = Object.assign(progress, { status: response.status, headers: response.headers })
    return { reply: { status, headers, text: await response.text() } }
  }

  return ({ url, apiKey, timeoutMs, signal }) =>
    new Promise((resolve) => {
      const controller = new AbortController()
      const progress: Progress = {}
      const end = (tripEnd: TripEnd) => {
        stopTimer()
        signal.removeEventListener('abort', onAbort)
        resolve(tripEnd)
      }
      const lose = (kind: Loss['kind'], cause: unknown) => {
        const { status, headers } = progress
        const sent = status !== undefined || (progress.sent === true && (kind !== 'network' || !neverSent(cause)))
        const reply = status === undefined || headers === undefined ? undefined : { status, headers, text: undefined }
        end({ loss: { kind, sent, reply, cause } })
      }
      // The trip is over when it is given up, even if a fetch of somebody's own does not listen to its signal.
      const giveUp = (kind: Loss['kind'], reason: unknown) => {
        lose(kind, reason)
        controller.abort(reason)
      }
      const onAbort = () => giveUp('aborted', signal.reason)
      signal.addEventListener('abort', onAbort)
      const stopTimer = startTimer(clock, timeoutMs, () =>
        giveUp('timeout', new DOMException('No answer in time', 'TimeoutError')),
      )
      const headers: Record<string, string> = { accept: 'application/json' }
      if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`
      if (resends) headers.connection = 'close'
      const init: RequestInit = { method: 'GET', headers, signal: controller.signal, redirect: 'manual' }
      exchange(url, init, progress).then(end, (cause) => lose('network', cause))
    })
}

/** The key never goes to another origin, so redirects are only followed within one. */
async function follow(url: string, send: (url: string) => Promise<Response>): Promise<Response> {
  let here = url
  let response = await send(here)
  for (let hops = 0; hops < MOST_REDIRECTS && isRedirect(response); hops++) {
    const next = target(response)
    if (next === undefined || !URL.canParse(next, here)) break
    const there = new URL(next, here)
    if (there.origin !== new URL(here).origin) break
    await response.body?.cancel()
    here = there.href
    response = await send(here)
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
