import { failed } from './failure.ts'

/** Where a request goes. */
export interface Target {
  readonly secure: boolean
  /** What is looked up and connected to; an IPv6 address without its brackets. */
  readonly hostname: string
  readonly port: number
  /** The Host header. */
  readonly host: string
  /** Path and query. */
  readonly path: string
}

/** Nothing in it that a URL would be normalised by: what is left to do is to cut it off. */
const PLAIN = /^\/(?:[\w\-~?&=,:+@!$*;/]|%(?!2e)|(?<!\/)\.)*$/i

/** Splits URLs. Most of them have the origin of the one before, and only their path is looked at. */
export function createTargets(): (url: string) => Target {
  let origin = '\0'
  let last: Target | undefined

  return (url) => {
    if (last !== undefined && url.startsWith(origin)) {
      const path = url.slice(origin.length)
      if (PLAIN.test(path)) {
        const { secure, hostname, port, host } = last
        return { secure, hostname, port, host, path }
      }
    }
    const parsed = URL.canParse(url) ? new URL(url) : refuse('This is not an absolute URL')
    const { protocol, hostname, port, host, pathname, search, username, password } = parsed
    const secure = protocol === 'https:'
    if (!secure && protocol !== 'http:') refuse(`This fetch does not speak ${protocol}`)
    if (username !== '' || password !== '') refuse('This fetch takes no credentials in a URL')
    origin = parsed.origin
    last = {
      secure,
      hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port: port === '' ? (secure ? 443 : 80) : Number(port),
      host,
      path: pathname + search,
    }
    return last
  }
}

/** The URL is not quoted: whoever holds the error may not be meant to read what stands in it. */
function refuse(message: string): never {
  throw failed('fetch failed', Object.assign(new Error(message), { code: 'ERR_INVALID_URL' }))
}
