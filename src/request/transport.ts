import type { Cancel } from '../abort.ts'
import { type Clock, startTimer } from '../clock.ts'
import type { FetchLike, FetchResponse } from '../options.ts'
import type { Loss, Reply, TripEnd } from './types.ts'

export interface Trip {
  readonly url: string
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  /** Ends the trip from outside. */
  readonly signal: Cancel
}

export type Transport = (trip: Trip) => Promise<TripEnd>

/** How far a trip has come. */
interface Progress {
  sent: boolean
  /** Status and headers, as soon as they are there. */
  reply: Reply | undefined
}

const MOST_REDIRECTS = 3
const NOT_SENT = { code: 'ERR_NO_FETCH' }
/** Codes of failures in which no byte of the request can have reached the service. */
const NEVER_SENT =
  /^(ERR_NO_FETCH|ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|CERT_\w+|ERR_TLS_CERT_\w+|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|\w*HANDSHAKE_FAILURE|TLSV1_ALERT_\w+)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/

/** One request and its whole answer. Every end is told apart: an answer, or how it got lost and whether it was sent. */
export function createTransport(clock: Clock, fetchOption: FetchLike | undefined): Transport {
  // Their fetch sends a request again, unseen, when a connection breaks that was open before: charged twice, counted once.
  const resends = 'Bun' in globalThis || 'Deno' in globalThis

  return ({ url, apiKey, timeoutMs, signal }) =>
    new Promise((resolve) => {
      const controller = new AbortController()
      const progress: Progress = { sent: false, reply: undefined }
      const end = (tripEnd: TripEnd) => {
        stopTimer()
        signal.removeEventListener('abort', onAbort)
        resolve(tripEnd)
      }
      const lose = (kind: Loss['kind'], cause: unknown) => {
        const { sent, reply } = progress
        const arrived = reply !== undefined || (sent && (kind !== 'network' || !neverSent(cause)))
        end({ loss: { kind, sent: arrived, reply, cause } })
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
      exchange(url, init, fetchOption ?? globalThis.fetch, progress).then(end, (cause) => lose('network', cause))
    })
}

async function exchange(url: string, init: RequestInit, send: FetchLike, progress: Progress): Promise<TripEnd> {
  if (typeof send !== 'function')
    throw Object.assign(new TypeError('This runtime has no fetch: hand one to createClient({ fetch }).'), NOT_SENT)
  progress.sent = true
  let response = await send(url, init)
  if (isRedirect(response)) response = await follow(url, init, response, send)
  if (isRedirect(response)) {
    // Nobody reads it, and it would keep its connection.
    response.body?.cancel().catch(() => {})
    return { loss: { kind: 'redirect', sent: true, reply: undefined, cause: target(response) } }
  }
  const { status, headers } = response
  progress.reply = { status, headers, text: undefined }
  return { reply: { status, headers, text: await response.text() } }
}

/** The key never goes to another origin, so redirects are only followed within one. */
async function follow(url: string, init: RequestInit, first: FetchResponse, send: FetchLike): Promise<FetchResponse> {
  let here = url
  let response = first
  for (let hops = 0; hops < MOST_REDIRECTS && isRedirect(response); hops++) {
    const next = target(response)
    if (next === undefined || !URL.canParse(next, here)) break
    const there = new URL(next, here)
    if (there.origin !== new URL(here).origin) break
    await response.body?.cancel()
    init.signal?.throwIfAborted()
    here = there.href
    response = await send(here, init)
  }
  return response
}

function isRedirect({ status, type }: FetchResponse): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)
}

function target(response: FetchResponse): string | undefined {
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
