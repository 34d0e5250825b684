import ky, { type Options } from 'ky'
import { askAnew, canStream } from '../utils/runtime.ts'
import {
  type AfterResponseHook,
  type AfterResponseState,
  type BeforeRequestHook,
  HookError,
  type Hooks,
  type RequestContext,
  runAfterResponse,
  runBeforeRequest,
} from './hooks.ts'
import { failed, isHeaders, NOT_SENT, type Progress } from './outcome.ts'
import { discardBody, followRedirects, isRedirect, redirected } from './redirects.ts'
import { failureOfBody, readText } from './response-text.ts'
import type { AttemptOutcome, FetchInit, FetchLike, FetchResponse, HttpAttempt, Transport } from './transport.ts'

export interface KyTransportOptions {
  readonly fetch?: FetchLike | undefined
  readonly hooks?: Hooks | undefined
}

/** What ky calls a hook with first: ky 1 with the request, ky 2 with an object that has it. */
type KyState = Request | { readonly request: Request; readonly response?: Response }

type KyHook = (first: KyState, options?: unknown, response?: Response) => Promise<Response | undefined>

/**
 * ky builds the request and runs the hooks. Its retries, timeout and errors are off: what is charged depends on the client's own.
 *
 * `send` is a hook before the request, whose response ky takes as the answer: as `fetch` it would get a clone of the request, which takes longer
 * than all that the client does itself. ky calls it as `fetch` where it does not know the class of the response. The headers are set here, because
 * ky would copy those among its options four times.
 */
function sendByKy(
  url: string,
  headers: Readonly<Record<string, string>>,
  send: (request: Request) => Promise<Response>,
  afterResponse?: readonly KyHook[],
): Promise<Response> {
  let answer: Promise<Response> | undefined
  const sendOnce = (first: KyState): Promise<Response> => {
    if (answer !== undefined) return answer
    const request = 'request' in first ? first.request : first
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    answer = send(request)
    return answer
  }
  const hooks = { beforeRequest: [sendOnce], beforeRetry: undefined, afterResponse, beforeError: undefined }
  const options = { fetch: sendOnce, hooks, retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual' }
  return ky(url, Object.assign(options, askAnew()) as unknown as Options)
}

/** Connections of Deno, in its own words an `HttpClient`. */
interface DenoClient {
  close(): void
}
interface DenoApi {
  createHttpClient?(options: { poolMaxIdlePerHost: number }): DenoClient
}

/** A custom `fetch` resolved to something that is not a response with a body to read. */
class InvalidFetchError extends TypeError {}

/** The default transport: ky builds the request and runs the hooks, and it is sent through `fetch`. It opens streams as well. */
export class KyTransport implements Transport {
  readonly #fetch: FetchLike | undefined
  readonly #beforeRequest: readonly BeforeRequestHook[]
  readonly #afterResponse: readonly AfterResponseHook[]
  #denoClient: DenoClient | undefined
  #streams = 0

  /** @param options `fetch` is the global one by default, looked up at each call, so that one that is replaced later works */
  constructor({ fetch, hooks }: KyTransportOptions = {}) {
    this.#fetch = fetch
    this.#beforeRequest = hooks?.beforeRequest ?? []
    this.#afterResponse = hooks?.afterResponse ?? []
  }

  /**
   * Opens a response whose body is read as it arrives, with the hooks before a request. It rejects as `fetch` does; undefined where the body
   * could be read only when it has ended.
   */
  async open(
    url: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response | undefined> {
    if (!canStream(this.#fetch ?? globalThis.fetch)) return undefined
    const context: RequestContext = { operation: 'stream', callId: `stream-${++this.#streams}`, attempt: 1 }
    return sendByKy(url, headers, async (built) => {
      const request = await runBeforeRequest(this.#beforeRequest, built, context)
      return request instanceof Response ? request : this.#fetchOnce(request, signal, () => {})
    })
  }

  async send(attempt: HttpAttempt): Promise<AttemptOutcome> {
    const { url, headers, context, signal, maxResponseBytes = Number.POSITIVE_INFINITY } = attempt
    const progress: Progress = { sent: false, head: undefined }
    let sent: Request | undefined
    /** A clone of what the service sent, before any hook sees it. */
    let original: Response | undefined
    /** The hook whose response is the answer. */
    let replacedBy: string | undefined

    const beforeSend = () => {
      attempt.beforeSend()
      progress.sent = true
    }
    const receive = async (request: Request) => {
      sent = request
      if (this.#beforeRequest.length > 0) {
        const prepared = await runBeforeRequest(this.#beforeRequest, request, context)
        if (prepared instanceof Response) return prepared
        sent = prepared
        await attempt.recheck?.()
      }
      const response = await this.#fetchOnce(sent, signal, beforeSend)
      progress.head = { status: response.status, headers: response.headers }
      attempt.onHeaders(progress.head)
      if (this.#afterResponse.length === 0) return response
      const standard = await toStandard(response, maxResponseBytes)
      original = standard.clone()
      return standard
    }
    const kyHook =
      (hook: AfterResponseHook, index: number): KyHook =>
      async (first, _options, third) => {
        const { request, response } =
          third === undefined ? (first as AfterResponseState) : { request: first as Request, response: third }
        // ky cancels the body of the clone that it hands over, also where the response that a hook returns has that body.
        const clone = response.clone()
        const given = await runAfterResponse(hook, index, { request: sent ?? request, response: clone, ...context })
        if (given?.body !== clone.body) discardBody(clone)
        if (given !== undefined) replacedBy = `afterResponse[${index}]`
        return given
      }
    const read = (response: Response) => outcomeOf(response, progress, maxResponseBytes)

    try {
      const response = await sendByKy(url, headers, receive, this.#afterResponse.map(kyHook))
      // A hook has answered: no request was made.
      if (!progress.sent) return { ...(await read(response)), answered: failed('hook', progress, undefined) }
      if (original === undefined) return await read(response)
      if (replacedBy === undefined) {
        discardBody(original)
        return await read(response)
      }
      const answered = await read(original)
      const outcome = await read(response)
      if (answered.failure !== undefined || outcome.failure?.kind !== 'network') return { ...outcome, answered }
      return hookFailed(replacedBy, outcome.failure.cause, progress, answered)
    } catch (error) {
      // ky builds the request before it hands it over.
      if (sent === undefined) return failed('not_built', progress, error)
      if (error instanceof HookError)
        return hookFailed(error.hook, error.cause, progress, original && (await read(original)))
      if (error instanceof InvalidFetchError) return failed('invalid_fetch', progress, error)
      return failed(failureOfBody(error), progress, error)
    }
  }

  /** Frees what the runtime keeps for it. */
  close(): void {
    this.#denoClient?.close()
    this.#denoClient = undefined
  }

  /**
   * Hands URL and init to `fetch`, which may be another copy that does not know a `Request` of this runtime. In Node the signal of a `Request`
   * that is garbage-collected no longer aborts.
   * @throws InvalidFetchError for what is no response
   */
  async #fetchOnce(request: Request, signal: AbortSignal, beforeSend: () => void): Promise<Response> {
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

/** The outcome of a hook that failed. @param answered what the service sent, if anything */
function hookFailed(
  hook: string,
  cause: unknown,
  progress: Progress,
  answered: AttemptOutcome | undefined,
): AttemptOutcome {
  const response = answered?.response
  return { ...failed('hook', progress, cause, response ? { hook, response } : { hook }), answered }
}

async function outcomeOf(response: Response, progress: Progress, maxBytes: number): Promise<AttemptOutcome> {
  if (isRedirect(response)) return redirected(response)
  const { status, headers } = response
  try {
    return { response: { status, headers, text: await readText(response, maxBytes) } }
  } catch (error) {
    return failed(failureOfBody(error), progress, error)
  }
}

/** Hooks, and ky around them, get a Response of this runtime, whatever `fetch` has made. */
async function toStandard(response: FetchResponse, maxBytes: number): Promise<Response> {
  if (response instanceof Response) return response
  const { status, headers } = response
  const text = await readText(response, maxBytes)
  try {
    return new Response(text || null, { status, headers: [...headers] })
  } catch (cause) {
    // It has arrived, and may have been paid for.
    throw new InvalidFetchError('fetch resolved to what no hook can be given', { cause })
  }
}

/** It may come from another implementation of `fetch`. */
function checkResponse(value: unknown): Response {
  if (!hasResponseParts(value)) {
    const given = value === null || typeof value !== 'object' ? String(value) : 'an object'
    throw new InvalidFetchError(`fetch resolved to ${given}, not to a Response`)
  }
  if (value.bodyUsed) throw new InvalidFetchError('The body of the response was read before')
  return value
}

/** Its getters may throw. */
function hasResponseParts(value: unknown): value is Response {
  try {
    const { status, headers, text } = Object(value) as Partial<Response>
    return typeof status === 'number' && typeof text === 'function' && isHeaders(headers)
  } catch {
    return false
  }
}
