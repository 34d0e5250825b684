import type { RequestContext } from './hooks.ts'

/** The headers of a response; a standard `Headers` object is one. */
export interface ResponseHeaders {
  /** The value of a header, or null. Lines of one name are joined with a comma and a space. */
  get(name: string): string | null
  /** All headers, with names in lower case. */
  [Symbol.iterator](): IterableIterator<[name: string, value: string]>
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
  /** To be called before the request is handed to the network: from then on the server may receive it. */
  onSent(): void
  /**
   * May be called after `onSent` while no connection is made yet. Until `onConnected` is called, nothing of the request has left: where the
   * attempt ends before, nothing was charged.
   */
  onConnecting?(): void
  /** To be called after `onConnecting`, before the first byte is written. */
  onConnected?(): void
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
    }
  | {
      /** Undefined: there is no whole response. */
      readonly response?: undefined
      /** Why there is no whole response. */
      readonly failure: TransportFailure
    }

/** Why an attempt brought no whole response. */
export interface TransportFailure {
  /**
   * `network`: no connection, or it broke. `timeout`, `aborted`: the client ended the attempt. `redirect`: the server answered
   * with a redirect that is not followed; `cause` is its location. `hook`: a hook of the user failed; `hook` names it.
   * `invalid_fetch`: a custom `fetch` resolved to something that is not a `Response`, or whose body had been read, or a custom
   * transport to something that is no outcome. `too_large`: the body has more than `maxResponseBytes`.
   */
  readonly kind: 'network' | 'timeout' | 'aborted' | 'redirect' | 'hook' | 'invalid_fetch' | 'too_large'
  /** Whether the server may have received the request, and so may have charged for it. */
  readonly mayHaveArrived: boolean
  /**
   * Status and headers, where they arrived. Its `text` is undefined, except that an `afterResponse` hook which fails leaves the
   * body of the server's response here, so that the request is billed as it was answered.
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
