import { isNeverSent } from './never-sent.ts'
import { discardBody, type RedirectResponse, redirectLocation } from './redirects.ts'
import type { AttemptOutcome, HttpResponse, ResponseHead, TransportFailure } from './transport.ts'

/** How far an attempt has come. */
export interface Progress {
  sent: boolean
  /** Status and headers, as soon as they have arrived. */
  head: ResponseHead | undefined
}

/** What was answered, as far as it arrived. */
export const responseOf = ({ response, failure }: AttemptOutcome): HttpResponse | undefined =>
  response ?? failure.response

/** The outcome of an attempt without a whole response. */
export function failed(
  kind: TransportFailure['kind'],
  { sent, head }: Progress,
  cause: unknown,
  more?: Pick<TransportFailure, 'hook' | 'response'>,
): AttemptOutcome {
  const mayHaveArrived = head !== undefined || (sent && (kind !== 'network' || !isNeverSent(cause)))
  const response = head && { status: head.status, headers: head.headers, text: undefined }
  return { failure: { kind, mayHaveArrived, response, cause, ...more } }
}

/** The outcome of an attempt that ended in a redirect to another origin, to nowhere, or in one too many. */
export function redirected(response: RedirectResponse): AttemptOutcome {
  discardBody(response)
  return { failure: { kind: 'redirect', mayHaveArrived: true, cause: redirectLocation(response) } }
}
