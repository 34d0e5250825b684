import { InvalidRequestError, invalidOption } from '../errors/input.ts'

const DEFAULT_BASE_URL = 'https://electroswap.io/public-api/v1'

/** Whether a base URL is that of the service itself, and not of a proxy or a fake. */
export const isPublicService = (baseUrl: string): boolean => baseUrl === `${DEFAULT_BASE_URL}/`

/**
 * The base URL, which ends in a slash. One that is a path alone is resolved against the page at the first call, so that a server
 * can load the module that creates the client.
 * @throws InvalidRequestError when it is no http or https URL
 */
export function createBaseUrl(option: string = DEFAULT_BASE_URL): () => string {
  const pathAlone = typeof option === 'string' && /^\.{0,2}\/(?!\/)/.test(option)
  let resolved = pathAlone ? undefined : resolve(option)
  return () => {
    resolved ??= resolve(option, pageUrl(option))
    return resolved
  }
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
  const url = typeof option === 'string' && URL.canParse(option, page) ? new URL(option, page) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidOption('baseUrl', option, 'an http or https URL')
  if (url.username || url.password || url.search || url.hash)
    throw invalidOption('baseUrl', url.origin, 'a URL without credentials, query or fragment')
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
