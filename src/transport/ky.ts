import ky, { type Options } from 'ky'
import { FetchSender, InvalidFetchError, toStandard } from './fetch-sender.ts'
import {
  type AfterResponseHook,
  type AfterResponseState,
  HookError,
  type Hooks,
  type RequestContext,
  runAfterResponse,
  runBeforeRequest,
} from './hooks.ts'
import { failed, type Progress } from './outcome.ts'
import { discardBody, isRedirect, redirected } from './redirects.ts'
import { ResponseTooLargeError, readText } from './response-text.ts'
import type { AttemptOutcome, FetchLike, Transport } from './transport.ts'

export interface KyTransportOptions {
  readonly fetch?: FetchLike | undefined
  readonly hooks?: Hooks | undefined
}

/** What ky calls a hook with first: ky 1 with the request, ky 2 with an object that has it. */
type KyState = Request | { readonly request: Request; readonly response: Response }

type KyHook = (first: KyState, options?: unknown, response?: Response) => Promise<Response | undefined>

/** ky builds the request and runs the hooks. Its retries, timeout and errors are off: what is charged depends on the client's own. */
function sendByKy(
  url: string,
  headers: Readonly<Record<string, string>>,
  fetch: (request: Request) => Promise<Response>,
  afterResponse: readonly KyHook[] = [],
): Promise<Response> {
  const options = { headers, fetch, hooks: { afterResponse }, retry: 0, timeout: false, throwHttpErrors: false }
  return ky(url, { ...options, redirect: 'manual' } as unknown as Options)
}

/** The default transport, which opens streams as well. */
export interface KyTransport extends Transport {
  /** Opens a response whose body is read as it arrives, with the hooks before a request. It rejects as `fetch` does. */
  open(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>
  /** Frees what the runtime keeps for it. */
  close(): void
}

/** ky builds the request, runs the hooks, and sends it through `fetch`. */
export function createKyTransport({ fetch, hooks }: KyTransportOptions = {}): KyTransport {
  const beforeRequest = hooks?.beforeRequest ?? []
  const afterResponse = hooks?.afterResponse ?? []
  const sender = new FetchSender(fetch)
  let streams = 0

  return {
    close: () => sender.close(),

    open(url, headers, signal) {
      const context: RequestContext = { operation: 'stream', callId: `stream-${++streams}`, attempt: 1 }
      return sendByKy(url, headers, async (built) => {
        const request = await runBeforeRequest(beforeRequest, built, context)
        return request instanceof Response ? request : sender.send(request, signal, () => {})
      })
    },

    async send(attempt) {
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
        if (beforeRequest.length > 0) {
          const prepared = await runBeforeRequest(beforeRequest, request, context)
          if (prepared instanceof Response) return prepared
          sent = prepared
          await attempt.recheck?.()
        }
        const response = await sender.send(sent, signal, beforeSend)
        progress.head = { status: response.status, headers: response.headers }
        attempt.onHeaders(progress.head)
        if (afterResponse.length === 0) return response
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
        const response = await sendByKy(url, headers, receive, afterResponse.map(kyHook))
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
        if (error instanceof HookError)
          return hookFailed(error.hook, error.cause, progress, original && (await read(original)))
        if (error instanceof InvalidFetchError) return failed('invalid_fetch', progress, error)
        return failed(error instanceof ResponseTooLargeError ? 'too_large' : 'network', progress, error)
      }
    },
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
    return failed(error instanceof ResponseTooLargeError ? 'too_large' : 'network', progress, error)
  }
}
