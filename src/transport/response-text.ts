/** An answer is larger than the client accepts. */
export class ResponseTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`The body has more than ${maxBytes} bytes`)
  }
}

/** What reading a body needs of a response; a standard `Response` is one, and other implementations of `fetch` may have another `body`. */
export interface ReadableResponse {
  readonly headers: { get(name: string): string | null }
  readonly body?: ReadableStream<Uint8Array> | null
  text(): Promise<string>
}

/**
 * Reads a body of at most `maxBytes`, decoded. A larger one is cancelled as soon as that is known.
 * @throws ResponseTooLargeError
 */
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
export function isTooLarge(text: unknown, maxBytes: number): boolean {
  if (typeof text !== 'string' || text.length * 3 <= maxBytes) return false
  return text.length > maxBytes || new TextEncoder().encode(text).byteLength > maxBytes
}
