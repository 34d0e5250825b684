import { parseUrl } from '../utils/runtime.ts'
import { ALLOWED_METHODS, type Reply, refuse } from './respond.ts'
import type { ProxySettings } from './settings.ts'

const EXPOSED = 'Age, X-Credits-Cost, X-Credits-Remaining, Retry-After'
const ALWAYS_ALLOWED_HEADERS = 'If-None-Match'
const HEADER_NAMES = /^[\w\-, ]{1,1000}$/
const PREFLIGHT_SECONDS = '600'

type Cors = ProxySettings['cors']

/** @throws Refusal for a request of a foreign page */
export function checkOrigin({ headers, url }: Request, { origins }: Cors): void {
  const origin = headers.get('origin')
  // Only a browser sends it, and no page can change it.
  const site = headers.get('sec-fetch-site') ?? 'none'
  const isAccepted =
    origin === null
      ? site === 'none' || site === 'same-origin'
      : origins.has(origin) || isOwnHost(origin, url, headers.get('host'))
  if (!isAccepted) throw refuse(403, 'not_allowed', 'Pages of this origin may not use the proxy.')
}

/** Adds the headers of every answer to the request, errors included. @param isShared whether shared caches may keep the answer */
export function addOriginHeaders(
  { headers }: Request,
  { origins, credentials }: Cors,
  isShared: boolean,
  added: Reply['headers'],
): void {
  // A service worker cannot store an answer with `*`: Workbox and Angular would hand it out later, without its age. Safari then asks without
  // `If-None-Match`.
  added.vary ??= isShared ? 'Origin' : 'Origin, *'
  const origin = headers.get('origin')
  if (origin === null || !origins.has(origin)) return
  added['access-control-allow-origin'] = origin
  added['access-control-expose-headers'] = EXPOSED
  if (credentials) added['access-control-allow-credentials'] = 'true'
}

/** Headers of the answer to a preflight request, beside those of every answer. */
export function preflightHeaders({ headers }: Request): Reply['headers'] {
  // None of them reaches the service, so a listed origin may send what its own pages need.
  const requested = headers.get('access-control-request-headers') ?? ''
  const extra = HEADER_NAMES.test(requested) ? `, ${requested}` : ''
  return {
    allow: ALLOWED_METHODS,
    vary: 'Origin, Access-Control-Request-Headers',
    'access-control-allow-methods': ALLOWED_METHODS,
    'access-control-allow-headers': ALWAYS_ALLOWED_HEADERS + extra,
    'access-control-max-age': PREFLIGHT_SECONDS,
  }
}

/** Some servers give a request the URL of their own socket, such as `http://localhost:3000`; `Host` is what the browser asked for. */
function isOwnHost(origin: string, url: string, host: string | null): boolean {
  const page = parseUrl(origin)
  const asked = host === null ? undefined : parseUrl(`http://${host}`)
  return page !== undefined && [parseUrl(url), asked].some((own) => own && isSameHost(page, own))
}

/** The scheme does not count: behind a TLS terminator the request has http. */
const isSameHost = (page: URL, { hostname, port }: URL) =>
  page.hostname === hostname && withoutDefault(page.port) === withoutDefault(port)

const withoutDefault = (port: string) => (port === '80' || port === '443' ? '' : port)
