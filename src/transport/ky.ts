import ky, { type AfterResponseHook, type BeforeRequestHook, type Options } from 'ky'
import { type FetchLike, fetchRequest, InvalidFetchError } from './fetch-request.ts'
import { failed, type Progress, redirected } from './outcome.ts'
import { isRedirect } from './redirects.ts'
import { ResponseTooLargeError, readText } from './response-text.ts'
import type { AttemptOutcome, HttpAttempt, Transport } from './transport.ts'

export type { AfterResponseHook, BeforeRequestHook }

/** Hooks of ky around each request that is sent, retries and redirects of the client included. */
export interface Hooks {
  /**
   * Called in order with the request before it is sent: to set headers, or to trace. A hook may return a new `Request` within the
   * same origin, or a `Response`, which then counts as the answer of the service; ky skips the hooks after it. The key never goes
   * to another origin: a `Request` to one is not sent, and the call rejects. So does a call whose hook throws. Nothing is charged.
   * @example [(request) => request.headers.set('x-request-id', crypto.randomUUID())]
   */
  beforeRequest?: BeforeRequestHook[] | undefined
  /**
   * Called in order with the request and a clone of each response, errors included. A hook may return a `Response` to replace it;
   * keep the headers, because credits are read from them. When a hook throws, the call rejects and is not retried; what the
   * service charged is counted. `ky.retry()` is not accepted: the client's own `retry` decides.
   * @example [(_request, _options, response) => console.debug(response.status)]
   */
  afterResponse?: AfterResponseHook[] | undefined
}

export interface KyTransportOptions {
  readonly fetch?: FetchLike | undefined
  readonly hooks?: Hooks | undefined
}

/** A hook of the user failed. */
class HookError extends Error {
  constructor(
    readonly hook: string,
    cause: unknown,
  ) {
    super(`${hook} failed`, { cause })
  }
}

/** ky's retries, timeout and errors are off: what is charged depends on the client's own. */
function kyOptions(
  headers: Readonly<Record<string, string>> | undefined,
  hooks: NonNullable<Options['hooks']>,
  fetch: (request: Request) => Promise<Response>,
): Options {
  const send = fetch as typeof globalThis.fetch
  const options = { retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual', headers, hooks, fetch: send }
  return options as Options
}

/** Opens a response whose body is read as it arrives, with the hooks before a request. It rejects as `fetch` does. */
export function createKyOpener({ fetch, hooks = {} }: KyTransportOptions = {}) {
  const beforeRequest = (hooks.beforeRequest ?? []).map(nameBeforeRequest)
  return (url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> => {
    const open = (request: Request) => fetchRequest(request, fetch, signal, () => {})
    return ky(url, kyOptions(headers, { beforeRequest }, open))
  }
}

/** The default transport: ky builds the request, runs the hooks, and sends it through `fetch`. */
export function createKyTransport({ fetch, hooks = {} }: KyTransportOptions = {}): Transport {
  const beforeRequest = (hooks.beforeRequest ?? []).map(nameBeforeRequest)
  const afterResponse = (hooks.afterResponse ?? []).map(nameAfterResponse)
  const hasHooks = beforeRequest.length + afterResponse.length > 0

  return {
    async send({ url, headers, signal, maxResponseBytes = Number.POSITIVE_INFINITY, ...listeners }) {
      // Node 20 keeps these closures until a full garbage collection. With the caller's they would keep each call and its answer.
      let report: Pick<HttpAttempt, 'onSent' | 'onHeaders'> | undefined = listeners
      const progress: Progress = { sent: false, head: undefined }
      let received: Promise<Response> | undefined
      /** A clone of what the service sent, for the case that a hook fails. */
      let original: Response | undefined

      const noteSent = () => {
        progress.sent = true
        report?.onSent()
      }
      const noteHead = ({ status, headers }: Response) => {
        progress.head = { status, headers }
        report?.onHeaders(progress.head)
      }
      const receive = async (request: Request) => {
        // Among the options of ky, where hooks see them, they would be copied three times: 5 kB.
        if (!hasHooks) setHeaders(request, headers)
        const response = await fetchRequest(request, fetch, signal, noteSent)
        noteHead(response)
        if (afterResponse.length > 0) original = response.clone()
        return response
      }
      // As the last hook it sends what ky built, which spares ky's clone of the request: 20 µs. As ky's `fetch` option it is called
      // where a hook of the user has returned a Request, which skips the last one, and where ky does not know the class of the
      // response.
      const receiveOnce = (request: Request) => {
        received ??= receive(request)
        return received
      }

      try {
        const hooks = { beforeRequest: [...beforeRequest, receiveOnce], afterResponse }
        const response = await ky(url, kyOptions(hasHooks ? headers : undefined, hooks, receiveOnce))
        if (isRedirect(response)) return redirected(response)
        if (response.headers !== progress.head?.headers) noteHead(response)
        if (response.bodyUsed) throw new HookError('afterResponse', new TypeError('The body was read before'))
        original?.body?.cancel().catch(() => {})
        return {
          response: {
            status: response.status,
            headers: response.headers,
            text: await readText(response, maxResponseBytes),
          },
        }
      } catch (error) {
        return failureOf(error, progress, original, maxResponseBytes)
      } finally {
        report = undefined
      }
    },
  }
}

function setHeaders(request: Request, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
}

async function failureOf(
  error: unknown,
  progress: Progress,
  original: Response | undefined,
  maxResponseBytes: number,
): Promise<AttemptOutcome> {
  if (error instanceof ResponseTooLargeError) return failed('too_large', progress, error)
  if (error instanceof InvalidFetchError) return failed('invalid_fetch', progress, error)
  if (!(error instanceof HookError)) return failed('network', progress, error)
  const { hook, cause } = error
  if (original === undefined) return failed('hook', progress, cause, { hook })
  const { status, headers } = original
  const text = await readText(original, maxResponseBytes).catch(() => undefined)
  return failed('hook', progress, cause, { hook, response: { status, headers, text } })
}

function nameBeforeRequest(hook: BeforeRequestHook, index: number): BeforeRequestHook {
  const name = `beforeRequest[${index}]`
  return async (request, options, state) => {
    const result = await nameErrors(name, () => hook(request, options, state))
    if (result instanceof Request && new URL(result.url).origin !== new URL(request.url).origin) {
      const message = 'The hook returned a Request to another origin, where the key must not go. Set baseUrl instead.'
      throw new HookError(name, new Error(message))
    }
    return result
  }
}

function nameAfterResponse(hook: AfterResponseHook, index: number): AfterResponseHook {
  const name = `afterResponse[${index}]`
  return async (request, options, response, state) => {
    const result = await nameErrors(name, () => hook(request, options, response, state))
    if (typeof result === 'object' && result !== null && !(result instanceof Response)) {
      const message =
        'The hook returned neither a Response nor undefined. The retry option of the client decides on retries.'
      throw new HookError(name, new TypeError(message))
    }
    return result
  }
}

async function nameErrors<T>(name: string, run: () => T): Promise<Awaited<T>> {
  try {
    return await run()
  } catch (cause) {
    throw new HookError(name, cause)
  }
}
