import { errorWithCode, fetchError } from './fetch-error.ts'

/** Where a request goes. */
export interface ParsedUrl {
  readonly secure: boolean
  /** The host to look up and connect to; an IPv6 address has no brackets. */
  readonly hostname: string
  readonly port: number
  /** The Host header. */
  readonly host: string
  /** Path and query. */
  readonly path: string
}

/** Matches paths that a URL parser leaves as they are. */
const NORMALIZED_PATH = /^\/(?:[\w\-~?&=,:+@!$*;/]|%(?!2e)|(?<!\/)\.)*$/i

/** Parses URLs. When the origin is the one before, only the path is looked at, which spares most of the time. */
export class UrlParser {
  #origin = '\0'
  #last: ParsedUrl | undefined

  parse(url: string): ParsedUrl {
    if (this.#last !== undefined && url.startsWith(this.#origin)) {
      const path = url.slice(this.#origin.length)
      if (NORMALIZED_PATH.test(path)) return { ...this.#last, path }
    }
    const parsed = URL.canParse(url) ? new URL(url) : rejectUrl('The URL is not absolute')
    const { protocol, hostname, port, host, pathname, search, username, password } = parsed
    const secure = protocol === 'https:'
    if (!secure && protocol !== 'http:') rejectUrl(`The protocol ${protocol} is not supported`)
    if (username !== '' || password !== '') rejectUrl('Credentials in a URL are not supported')
    this.#origin = parsed.origin
    this.#last = {
      secure,
      hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port: port === '' ? (secure ? 443 : 80) : Number(port),
      host,
      path: pathname + search,
    }
    return this.#last
  }
}

/** The message does not quote the URL, which may hold a secret. */
function rejectUrl(message: string): never {
  throw fetchError('fetch failed', errorWithCode(message, 'ERR_INVALID_URL'))
}
