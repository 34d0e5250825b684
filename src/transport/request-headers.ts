import { invalidOption } from '../errors/input.ts'

/** Headers that frame the message, which only the transport can set, and the one that holds the key. */
const RESERVED = [
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Makes the headers of each request: the user's own, and the key. */
export type RequestHeaders = (apiKey: string | undefined) => Readonly<Record<string, string>>

/**
 * Prepares the headers that are sent with every request.
 * @throws InvalidRequestError for headers that no request can have, and for `Authorization`, which holds the key
 */
export function createRequestHeaders(headers: HeadersInit | undefined): RequestHeaders {
  const own: Record<string, string> = { accept: 'application/json' }
  for (const [name, value] of readHeaders(headers)) {
    if (RESERVED.includes(name))
      throw invalidOption('headers', name, `headers other than ${RESERVED.join(', ')}. The key is the option apiKey`)
    own[name] = value
  }
  // Their fetch resends a request by itself when a kept connection breaks: it is charged twice and counted once.
  if ('Bun' in globalThis || 'Deno' in globalThis) own.connection = 'close'
  return (apiKey) => (apiKey === undefined ? own : Object.assign({ authorization: `Bearer ${apiKey}` }, own))
}

function readHeaders(headers: HeadersInit | undefined): Iterable<[name: string, value: string]> {
  if (headers === undefined) return []
  try {
    return new Headers(headers)
  } catch {
    // What cannot be a header is not quoted: it may be a secret.
    throw invalidOption('headers', typeof headers, 'an object of header names and values')
  }
}
