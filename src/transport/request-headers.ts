import { invalidOption } from '../errors/input.ts'

/** The version of this package, which a test compares with `package.json`. */
const VERSION = '0.1.0'

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

type Fields = Readonly<Record<string, string>>
type GivenHeaders = HeadersInit | Readonly<Record<string, string | undefined>>

/** Makes the headers of each request: those of the client, of the call, and the key, unless that is empty. */
export type RequestHeaders = (apiKey: string, ofCall?: Fields) => Fields

/** @throws InvalidRequestError for headers that no request can have, and for `Authorization`, which holds the key */
export function createRequestHeaders(headers: GivenHeaders | undefined): RequestHeaders {
  const own: Fields = { accept: 'application/json', ...userAgent(), ...readHeaders(headers) }
  return (apiKey, ofCall) => {
    const key = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
    return ofCall === undefined && apiKey === '' ? own : Object.assign(key, own, ofCall)
  }
}

/** Headers of the user's own, by their names in lower case and in the order of the alphabet. @throws as `createRequestHeaders` does */
export function readHeaders(headers: GivenHeaders | undefined): Fields {
  const fields: Record<string, string> = {}
  if (headers === undefined) return fields
  let list: Headers
  try {
    const isList = Symbol.iterator in headers
    list = new Headers(
      isList ? headers : Object.entries(headers).filter((field): field is [string, string] => field[1] !== undefined),
    )
  } catch {
    // What cannot be a header is not quoted: it may be a secret.
    throw invalidOption('headers', typeof headers, 'an object of header names and values')
  }
  for (const [name, value] of list) {
    if (RESERVED.includes(name))
      throw invalidOption('headers', name, `headers other than ${RESERVED.join(', ')}. The key is the option apiKey`)
    fields[name] = value
  }
  return fields
}

/** Names this package and the runtime, such as `etn-market/0.1.0 node/20`. A page names its browser, which it could not change. */
function userAgent(): Fields {
  const { process, document } = globalThis as { process?: { versions?: Record<string, string> }; document?: object }
  const runtime = ['bun', 'deno', 'node'].find((name) => process?.versions?.[name] !== undefined)
  if (runtime === undefined || document !== undefined) return {}
  return { 'user-agent': `etn-market/${VERSION} ${runtime}/${Number.parseInt(process?.versions?.[runtime] ?? '', 10)}` }
}
