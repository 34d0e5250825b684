import type { ParsedUrl } from './parse-url.ts'

/**
 * The headers for `node:http`, with those that Node's fetch adds by itself. A plain object, because instrumentations copy headers
 * by `Object.assign({}, headers)`: from an array of lines that makes headers named `0`, `1`, …, one of which holds the key.
 */
export function requestHeaders(
  { host, secure }: ParsedUrl,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    host,
    'user-agent': 'node',
    'accept-encoding': secure ? 'br, gzip, deflate' : 'gzip, deflate',
    ...headers,
  }
}
