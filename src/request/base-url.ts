import type { ClientOptions } from '../client/options.ts'
import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import { allowedOrigins, FAKE_ORIGINS, isFake, isGuarded } from '../utils/fake-mark.ts'
import { environment, parseUrl } from '../utils/runtime.ts'

const DEFAULT_BASE_URL = 'https://electroswap.io/public-api/v1'

/** Whether a base URL is that of the service itself, and not of a proxy or a fake. */
export const isPublicService = (baseUrl: string): boolean => baseUrl === `${DEFAULT_BASE_URL}/`

/**
 * The base URL, which ends in a slash, at each call. One that is a path alone is resolved against the page at the first call, so that a server
 * can load the module that creates the client.
 * @throws InvalidRequestError when it is no http or https URL
 */
export function createBaseUrl({ baseUrl, fetch }: ClientOptions): () => string {
  const option = baseUrl === undefined ? (environment('ETN_MARKET_BASE_URL') ?? DEFAULT_BASE_URL) : baseUrl
  const pathAlone = typeof option === 'string' && /^\.{0,2}\/(?!\/)/.test(option)
  const mayBeOther = !isFake(fetch)
  let resolved = pathAlone ? undefined : resolve(option)
  return () => {
    resolved ??= resolve(option, pageUrl(option))
    if (mayBeOther) requireFake(resolved)
    return resolved
  }
}

/**
 * Lets a test with a fake reach nothing else: a client that was made without a thought of the fake would spend the credits of the developer's
 * own key. It looks at each call, because the client may be older than the test.
 * @throws InvalidRequestError with the code `not_the_fake`
 */
function requireFake(url: string): void {
  if (!isGuarded()) return
  const { origin } = new URL(url)
  if (allowedOrigins().includes(origin)) return
  const way =
    environment('VITEST') === undefined ? 'pass fake.fetch to createClient' : 'use the `client` fixture or fake.fetch'
  const message = `${url} is not the fake of this test: ${way}. To allow a server of the test, add ${origin} to process.env.${FAKE_ORIGINS}.`
  throw new InvalidRequestError(message, { code: 'not_the_fake' })
}

function pageUrl(option: string): string {
  const page = (globalThis as { location?: { href?: string } }).location?.href
  if (page !== undefined && page !== 'about:blank') return page
  throw new InvalidRequestError(
    `The baseUrl ${option} is relative, and there is no page to resolve it against: outside a browser page, pass an absolute URL. Nothing was sent.`,
    { code: 'invalid_option' },
  )
}

function resolve(option: string, page?: string): string {
  const url = typeof option === 'string' ? parseUrl(option, page) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidOption('baseUrl', option, 'an http or https URL')
  if (url.username || url.password || url.search || url.hash)
    throw invalidOption('baseUrl', url.origin, 'a URL without credentials, query or fragment')
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
