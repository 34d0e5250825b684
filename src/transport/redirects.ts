import { parseUrl } from '../utils/runtime.ts'
import type { AttemptOutcome } from './transport.ts'

/** What following a redirect needs of a response; a standard `Response` is one. */
export interface RedirectResponse {
  readonly status: number
  /** 'opaqueredirect' where a browser hides a redirect. */
  readonly type?: string
  readonly headers: { get(name: string): string | null }
  /** It may be of another kind, as the one of node-fetch. */
  readonly body?: { cancel?(): Promise<void> } | null
}

const MAX_REDIRECTS = 3
const REDIRECT_STATUSES = [301, 302, 303, 307, 308]

export function isRedirect({ status, type }: RedirectResponse): boolean {
  return type === 'opaqueredirect' || REDIRECT_STATUSES.includes(status)
}

/** Releases the connection of a response that nobody reads. */
export function discardBody({ body }: Pick<RedirectResponse, 'body'>): void {
  body?.cancel?.().catch(() => {})
}

/** The outcome of an attempt that ended in a redirect to another origin, to nowhere, or in one too many. */
export function redirected(response: RedirectResponse): AttemptOutcome {
  discardBody(response)
  return { failure: { kind: 'redirect', mayHaveArrived: true, cause: response.headers.get('location') ?? undefined } }
}

/** Follows redirects within one origin only, because the key never goes to another one. Returns the last response. */
export async function followRedirects<R extends RedirectResponse>(
  url: string,
  first: R,
  send: (url: string) => Promise<R>,
): Promise<R> {
  let current = url
  let response = first
  for (let count = 0; count < MAX_REDIRECTS && isRedirect(response); count++) {
    const location = response.headers.get('location')
    const next = location === null ? undefined : parseUrl(location, current)
    // fetch sends no request to a URL with a password.
    if (next === undefined || next.origin !== new URL(current).origin || next.username !== '' || next.password !== '')
      break
    discardBody(response)
    current = next.href
    response = await send(current)
  }
  return response
}
