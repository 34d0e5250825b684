import type { RequestContext } from './hooks.ts'

/** The headers of a response; a standard `Headers` object is one. */
export interface ResponseHeaders {
  /** The value of a header, or null. Lines of one name are joined with a comma and a space. */
  get(name: string): string | null
  /** All headers, with names in lower case. */
  [Symbol.iterator](): Iterator<[name: string, value: string]>
}

/** Status and headers, which arrive before the body. */
export interface ResponseHead {
  /** HTTP status. */
  readonly status: number
  /** The headers of the response. */
  readonly headers: ResponseHeaders
}

/** What a server answered: the status, the headers, and the body where it is complete. */
export interface HttpResponse extends ResponseHead {
  /** The decoded body, or undefined when it was cut off or stalled. */
  readonly text: string | undefined
}

/** One HTTP request to send: a GET that follows no redirect to another origin. */
export interface HttpAttempt {
  /** Absolute, with its query. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The call that it belongs to, and which attempt it is. */
  readonly context: RequestContext
  /**
   * The most bytes that a body may have, decoded. A larger one ends the attempt with a failure of the kind `too_large`.
   * @default no limit
   */
  readonly maxResponseBytes?: number | undefined
  /** Aborts the attempt, whether it waits for a connection, for headers or for the body. */
  readonly signal: AbortSignal
  /**
   * To be called when a connection is being made or could not be made, where that is before `beforeSend`: then the attempt counts, though
   * nothing of it has left.
   */
  onConnecting?(): void
  /**
   * To be awaited right before `beforeSend` by a transport that has waited, for a connection or for code of the user. It lets a turn of the event
   * loop pass, and writes what a budget with a store has to know. It rejects when the request must not be sent.
   */
  recheck?(): Promise<void>
  /**
   * To be called when only the bytes are left to be handed to the network: from then on the server may receive the request. The client looks
   * for the last time whether it may be sent: whether the call was aborted or is over, whether its credits fit the budget's window of now,
   * whether a cool-down has begun. `beforeSend` throws when it may not: then send nothing. How `send` ends is of no matter in that case; the
   * client rejects the call, or calls `send` again when the request may be sent.
   * @example
   * const socket = await connect()
   * await attempt.recheck?.()
   * attempt.beforeSend()
   * socket.write(bytes)
   */
  beforeSend(): void
  /** To be called when status and headers have arrived, before the body is read. The last call counts. */
  onHeaders(head: ResponseHead): void
}

/** How one attempt ended: with a whole response, or with the reason why there is none. */
export type AttemptOutcome =
  | {
      /** The whole response. */
      readonly response: HttpResponse
      /** Undefined: the attempt did not fail. */
      readonly failure?: undefined
      /** How the request itself ended, where the answer was replaced afterwards, by a hook for example. Credits are read from it. @default the same */
      readonly answered?: AttemptOutcome | undefined
    }
  | {
      /** Undefined: there is no whole response. */
      readonly response?: undefined
      /** Why there is no whole response. */
      readonly failure: TransportFailure
      /** How the request itself ended, where the answer was replaced afterwards, by a hook for example. Credits are read from it. @default the same */
      readonly answered?: AttemptOutcome | undefined
    }

/** Why an attempt brought no whole response. */
export interface TransportFailure {
  /**
   * `network`: no connection, or it broke. `timeout`, `aborted`: the client ended the attempt. `redirect`: the server answered
   * with a redirect that is not followed; `cause` is its location. `hook`: a hook of the user failed; `hook` names it.
   * `not_built`: the request could not be built, as where two implementations of a page meet. `invalid_fetch`: a custom `fetch` resolved
   * to something that is not a `Response`, or whose body had been read, or a custom transport to something that is no outcome. `too_large`:
   * the body has more than `maxResponseBytes`. `not_decoded`: the body does not have the content coding that its headers state.
   */
  readonly kind:
    | 'network'
    | 'timeout'
    | 'aborted'
    | 'redirect'
    | 'hook'
    | 'not_built'
    | 'invalid_fetch'
    | 'too_large'
    | 'not_decoded'
  /** Whether the server may have received the request, and so may have charged for it. */
  readonly mayHaveArrived: boolean
  /**
   * Status and headers, where they arrived. Its `text` is undefined, except that an `afterResponse` hook which fails leaves the
   * body of the server's response here, which the error shows.
   */
  readonly response?: HttpResponse | undefined
  /** The hook that failed, such as `beforeRequest[0]`. */
  readonly hook?: string | undefined
  /** What was thrown, or the location of a redirect. */
  readonly cause: unknown
}

/**
 * Sends one HTTP request and reports how it ended. It never retries, never rejects, and has no timeout of its own: the client's
 * retries, timeouts and credits depend on knowing each attempt.
 */
export interface Transport {
  /** Sends one request. The promise never rejects. */
  send(attempt: HttpAttempt): Promise<AttemptOutcome>
}

/** As the types of the runtime have it: those of Cloudflare accept two of the six values, those of Node 22 and React Native name none. */
type FetchCache = RequestInit extends { cache?: infer Cache } ? NonNullable<Cache> : never

/** What a `fetch` receives beside the URL. */
export interface FetchInit {
  /** `GET`, unless a hook has returned a `Request` with another method. */
  readonly method: string
  /** Names in lower case. */
  readonly headers: Record<string, string>
  /** The client follows redirects itself, within one origin. */
  readonly redirect: 'manual'
  /** Aborts the request, whether it waits for the answer or for its body. */
  readonly signal: AbortSignal
  /** That of the request which ky has built or a hook has returned. */
  readonly credentials?: 'include' | 'omit' | 'same-origin'
  /** That of the request which ky has built or a hook has returned. */
  readonly cache?: FetchCache
}

/** What the client reads of the response of a `fetch`; a standard `Response` is one. */
export interface FetchResponse extends ResponseHead {
  /** Reads the body, decoded. */
  text(): Promise<string>
}

/**
 * A standard `fetch`, such as `globalThis.fetch`, that of undici or node-fetch, or `fake.fetch`.
 * @example
 * const client = createClient({ fetch: (url, init) => fetch(url, { ...init, credentials: 'include' }) })
 */
export type FetchLike = (url: string, init: FetchInit) => Promise<Response | FetchResponse>
