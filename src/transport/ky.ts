import ky, { type Options } from 'ky'
import {
  type AfterResponseHook,
  HookError,
  type Hooks,
  type RequestContext,
  runAfterResponse,
  runBeforeRequest,
} from './hooks.ts'
import { failed, NOT_SENT, type Progress } from './outcome.ts'
import { discardBody, followRedirects, isRedirect, redirected } from './redirects.ts'
import { ResponseTooLargeError, readText } from './response-text.ts'
import type { AttemptOutcome, FetchLike, HttpAttempt, Transport } from './transport.ts'

export interface KyTransportOptions {
  readonly fetch?: FetchLike | undefined
  readonly hooks?: Hooks | undefined
}

/** What ky calls a hook with first: ky 1 with the request, ky 2 with an object that has it. */
type KyState = Request | { readonly request: Request; readonly response?: Response }

const requestOf = (first: KyState): Request => ('request' in first ? first.request : first)

/** ky 1 passes the response third. */
const responseOf = (first: KyState, third: Response | undefined): Response =>
  (third ?? ('request' in first ? first.response : undefined)) as Response

/** ky's retries, timeout and errors are off: what is charged depends on the client's own. */
function kyOptions(
  send: (first: KyState) => Promise<Response>,
  afterResponse: NonNullable<NonNullable<Options['hooks']>['afterResponse']>,
): Options {
  // As a hook it sends what ky built, which spares ky's clone of the request: 20 µs. ky calls it again, as `fetch`, where it does not
  // know the class of the response. It merges no lists that are undefined: 0.7 kB.
  const hooks = {
    beforeRequest: [send],
    beforeRetry: undefined,
    afterResponse: afterResponse.length > 0 ? afterResponse : undefined,
    beforeError: undefined,
  }
  const fetch = send as typeof globalThis.fetch
  const options = { retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual', hooks, fetch }
  return options as unknown as Options
}

/** Opens a response whose body is read as it arrives, with the hooks before a request. It rejects as `fetch` does. */
export function createKyOpener({ fetch, hooks }: KyTransportOptions = {}) {
  const beforeRequest = hooks?.beforeRequest ?? []
  let count = 0
  return (url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> => {
    const context: RequestContext = { operation: 'stream', callId: `stream-${++count}`, attempt: 1 }
    let opened: Promise<Response> | undefined
    const open = async (first: KyState) => {
      const prepared = setHeaders(requestOf(first), headers)
      const request = await runBeforeRequest(beforeRequest, prepared, context)
      return request instanceof Response ? request : fetchRequest(request, fetch, signal, () => {})
    }
    const openOnce = (first: KyState) => {
      opened ??= open(first)
      return opened
    }
    return ky(url, kyOptions(openOnce, []))
  }
}

/** The default transport: ky builds the request, runs the hooks, and sends it through `fetch`. */
export function createKyTransport({ fetch, hooks }: KyTransportOptions = {}): Transport {
  const beforeRequest = hooks?.beforeRequest ?? []
  const afterResponse = hooks?.afterResponse ?? []

  return {
    async send(attempt) {
      const { url, headers, context, signal, maxResponseBytes = Number.POSITIVE_INFINITY } = attempt
      // Node 20 keeps these closures until a full garbage collection. With the caller's they would keep each call and its answer.
      let report: HttpAttempt | undefined = attempt
      const progress: Progress = { sent: false, head: undefined }
      let sent: Request | undefined
      let received: Promise<Response> | undefined
      /** A clone of what the service sent, before any hook sees it. */
      let original: Response | undefined
      /** The hook whose response is the answer. */
      let replacedBy: string | undefined

      const noteSent = () => {
        report?.onSent()
        progress.sent = true
      }
      const receive = async (request: Request) => {
        sent = setHeaders(request, headers)
        if (beforeRequest.length > 0) {
          const prepared = await runBeforeRequest(beforeRequest, request, context)
          if (prepared instanceof Response) return prepared
          sent = prepared
          await report?.lastLook?.()
        }
        const response = await fetchRequest(sent, fetch, signal, noteSent)
        progress.head = { status: response.status, headers: response.headers }
        report?.onHeaders(progress.head)
        if (afterResponse.length > 0) original = response.clone()
        return response
      }
      const receiveOnce = (first: KyState) => {
        received ??= receive(requestOf(first))
        return received
      }
      const kyHook =
        (hook: AfterResponseHook, index: number) => async (first: KyState, _options?: unknown, third?: Response) => {
          // ky cancels the body of the clone that it hands over, also where the response that a hook returns has that body.
          const response = responseOf(first, third).clone()
          const given = await runAfterResponse(hook, index, { request: sent ?? requestOf(first), response, ...context })
          if (given?.body !== response.body) discardBody(response)
          if (given !== undefined) replacedBy = `afterResponse[${index}]`
          return given
        }

      try {
        const response = await ky(url, kyOptions(receiveOnce, afterResponse.map(kyHook)))
        const read = (one: Response) => outcomeOf(one, progress, maxResponseBytes)
        // A hook has answered: no request was made.
        if (!progress.sent) return { ...(await read(response)), answered: failed('hook', progress, undefined) }
        if (original !== undefined && replacedBy !== undefined) {
          const answered = await read(original)
          const outcome = await read(response)
          if (answered.failure !== undefined || outcome.failure?.kind !== 'network') return { ...outcome, answered }
          return failed('hook', progress, outcome.failure.cause, { hook: replacedBy, response: answered.response })
        }
        if (original !== undefined) discardBody(original)
        return await read(response)
      } catch (error) {
        return failureOf(error, progress, original, maxResponseBytes)
      } finally {
        report = undefined
      }
    },
  }
}

/** Among the options of ky they would be copied three times: 5 kB. */
function setHeaders(request: Request, headers: Readonly<Record<string, string>>): Request {
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
  return request
}

/** The outcome of a response, whose body is read. */
async function outcomeOf(response: Response, progress: Progress, maxBytes: number): Promise<AttemptOutcome> {
  if (isRedirect(response)) return redirected(response)
  const { status, headers } = response
  try {
    return { response: { status, headers, text: await readText(response, maxBytes) } }
  } catch (error) {
    return failed(error instanceof ResponseTooLargeError ? 'too_large' : 'network', progress, error)
  }
}

/** The outcome of a request that brought no response, or of a hook that failed. */
async function failureOf(
  error: unknown,
  progress: Progress,
  original: Response | undefined,
  maxBytes: number,
): Promise<AttemptOutcome> {
  if (error instanceof InvalidFetchError) return failed('invalid_fetch', progress, error)
  if (!(error instanceof HookError)) return failed('network', progress, error)
  const { hook, cause } = error
  if (original === undefined) return failed('hook', progress, cause, { hook })
  const { status, headers } = original
  const text = await readText(original, maxBytes).catch(() => undefined)
  return failed('hook', progress, cause, { hook, response: { status, headers, text } })
}

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
