import type { CallName } from '../errors/base.ts'

/** What a request belongs to, by the names that events use. */
export interface RequestContext {
  /** The operation, `request` for `client.request()`, or `stream` for a stream of prices that the feed opens. */
  readonly operation: CallName | 'stream'
  /** The call, as in events. A stream has an id of its own for each connection. */
  readonly callId: string
  /** The attempt, 1 for the first. */
  readonly attempt: number
}

/** What a `beforeRequest` hook is called with. */
export interface BeforeRequestState extends RequestContext {
  /** The request that is about to be sent. Its headers may be changed. */
  readonly request: Request
}

/** What an `afterResponse` hook is called with. */
export interface AfterResponseState extends RequestContext {
  /** The request that was answered. */
  readonly request: Request
  /** A clone of the response: to read its body takes nothing from the client. */
  readonly response: Response
}

/** Returns nothing, another `Request` to send, or a `Response` to use as the answer. It may be asynchronous. */
export type BeforeRequestHook = (
  state: BeforeRequestState,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is a function of this type.
) => Request | Response | void | Promise<Request | Response | void>

/** Returns nothing, or a `Response` to use instead. It may be asynchronous. */
export type AfterResponseHook = (
  state: AfterResponseState,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is a function of this type.
) => Response | void | Promise<Response | void>

/** Functions to call around each request that is sent, retries included. A redirect that is followed is part of its request. */
export interface Hooks {
  /**
   * Called in order before a request is sent: to set headers, or to trace. A hook may return a new `Request` within the same origin,
   * or a `Response`, which then is the answer: no request is made, which is no attempt and costs nothing. Either skips the hooks after it.
   *
   * The call rejects with the code `hook_failed`, and nothing is sent, when a hook throws, when it returns a `Request` to another origin, where
   * the key must not go, or when it changes the header `Authorization`. For keys that rotate, pass a function: `apiKey: () => …`.
   *
   * A hook may wait; its time counts towards `deadlineMs`. The time of `timeoutMs` begins when the request is sent. Afterwards the client looks once more whether the request may be
   * sent. If a cool-down has begun meanwhile, the request waits for its end, and the hooks run again.
   * @example [({ request, callId, attempt }) => request.headers.set('x-request-id', `${callId}-${attempt}`)]
   * @default []
   */
  beforeRequest?: BeforeRequestHook[] | undefined
  /**
   * Called in order with a clone of each response, errors included. A hook may return a `Response` to replace it for the caller. What the
   * call is charged, and whether other calls have to wait, is read from what the service sent. When a hook throws, the call rejects and is
   * not retried. The option `retry` of the client decides on retries: a hook cannot ask for one.
   * @example [({ operation, response }) => console.debug(operation, response.status)]
   * @default []
   */
  afterResponse?: AfterResponseHook[] | undefined
}

export class HookError extends Error {
  constructor(
    readonly hook: string,
    cause: unknown,
  ) {
    super(`${hook} failed`, { cause })
  }
}

/** Runs the hooks before a request. Resolves to the request to send, or to the answer of a hook. @throws HookError */
export async function runBeforeRequest(
  hooks: readonly BeforeRequestHook[],
  request: Request,
  { operation, callId, attempt }: RequestContext,
): Promise<Request | Response> {
  const authorization = request.headers.get('authorization')
  for (const [index, hook] of hooks.entries()) {
    const name = `beforeRequest[${index}]`
    const result = await nameErrors(name, () => hook({ request, operation, callId, attempt }))
    if (result instanceof Response) return checkUnread(name, result)
    const isOther = result instanceof Request
    if (!isOther && typeof result === 'object' && result !== null)
      throw misuse(name, 'returned neither a Request nor a Response.')
    const { url, headers } = isOther ? result : request
    if (new URL(url).origin !== new URL(request.url).origin)
      throw misuse(name, 'returned a Request to another origin, where the key must not go. Set baseUrl instead.')
    // A budget would take a balance of that key for one of the client's.
    if (headers.get('authorization') !== authorization)
      throw misuse(
        name,
        'changed the header Authorization. Pass the key as apiKey; one that rotates as apiKey: () => ….',
      )
    if (isOther) return result
  }
  return request
}

const misuse = (name: string, what: string) => new HookError(name, new Error(`The hook ${what}`))

/** Runs one hook after a response. Resolves to what replaces the response, if anything. @throws HookError */
export async function runAfterResponse(
  hook: AfterResponseHook,
  index: number,
  state: AfterResponseState,
): Promise<Response | undefined> {
  const name = `afterResponse[${index}]`
  const result: unknown = await nameErrors(name, () => hook(state))
  if (result instanceof Response) return checkUnread(name, result)
  if (typeof result !== 'object' || result === null) return undefined
  const message =
    'The hook returned neither a Response nor undefined. The retry option of the client decides on retries.'
  throw new HookError(name, new TypeError(message))
}

/** What cannot be read would look like a broken connection, and would be asked for and paid for again. */
function checkUnread(name: string, response: Response): Response {
  if (response.bodyUsed) throw new HookError(name, new TypeError('The body of the response was read before'))
  // Its status is 0.
  if (response.type === 'error') throw new HookError(name, new TypeError('The hook returned Response.error()'))
  return response
}

async function nameErrors<T>(name: string, run: () => T): Promise<Awaited<T>> {
  try {
    return await run()
  } catch (cause) {
    throw new HookError(name, cause)
  }
}
