import { countUpTo } from '../utils/json-data.ts'

export class ResponseTooLargeError extends Error {
  constructor(max: number, unit: 'bytes' | 'values' = 'bytes') {
    super(`The body has more than ${max} ${unit}`)
  }
}

/** Codes of zlib and brotli in Node, which are the cause of an error of `fetch`. */
const DECODING_ERROR = /^(Z_|ERR__ERROR_|ERR_BROTLI_|ZSTD_)/

/** What failed where a body could not be read: other failures than these two are of the connection. */
export function failureOfBody(error: unknown): 'too_large' | 'not_decoded' | 'network' {
  if (error instanceof ResponseTooLargeError) return 'too_large'
  const { code } = Object(Object(error).cause) as { code?: unknown }
  return typeof code === 'string' && DECODING_ERROR.test(code) ? 'not_decoded' : 'network'
}

/** Answers that are longer are counted before they are parsed; the largest real one has 84 kB and 3,500 values. */
const MIN_COUNTED_LENGTH = 131_072
/** So many are parsed within 50 ms, where 16 MiB of `{},` take seconds. */
const MAX_VALUES = 50_000
/** Who accepts larger answers accepts more values. */
const BYTES_PER_VALUE = 400

/** The error of a body that is too large, or has too many values to be parsed without blocking the event loop. */
export function sizeError(text: unknown, maxBytes: number): ResponseTooLargeError | undefined {
  if (typeof text !== 'string') return undefined
  if (isTooLarge(text, maxBytes)) return new ResponseTooLargeError(maxBytes)
  const maxValues = Math.max(MAX_VALUES, Math.floor(maxBytes / BYTES_PER_VALUE))
  return text.length > MIN_COUNTED_LENGTH && hasMoreValues(text, maxValues)
    ? new ResponseTooLargeError(maxValues, 'values')
    : undefined
}

/** Commas within texts count too. */
function hasMoreValues(text: string, max: number): boolean {
  let values = 0
  for (const mark of [',', '[', '{']) values += countUpTo(max + 1 - values, text, mark)
  return values > max
}

/** What reading a body needs of a response; a standard `Response` is one, and other implementations of `fetch` may have another `body`. */
export interface ReadableResponse {
  readonly headers: { get(name: string): string | null }
  readonly body?: ReadableStream<Uint8Array> | null
  text(): Promise<string>
}

/** Reads a body, decoded. A larger one is cancelled as soon as that is known. @throws ResponseTooLargeError */
export async function readText(response: ReadableResponse, maxBytes: number): Promise<string> {
  const { body } = response
  if (typeof body?.getReader !== 'function') {
    const text = await response.text()
    if (isTooLarge(text, maxBytes)) throw new ResponseTooLargeError(maxBytes)
    return text
  }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let received = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    received += value.byteLength
    if (received > maxBytes) {
      reader.cancel().catch(() => {})
      throw new ResponseTooLargeError(maxBytes)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Whether a text has more bytes. Each character has three at most, so that most texts need not be encoded. */
function isTooLarge(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false
  return text.length > maxBytes || new TextEncoder().encode(text).byteLength > maxBytes
}
