import type { IncomingMessage } from 'node:http'
import { ResponseTooLargeError } from '../transport/response-text.ts'
import { type Coding, decodeBody } from './decode-body.ts'
import { fetchError } from './fetch-error.ts'

/** Receives a body and decodes it. A class, because each response makes one. */
export class BufferedBody {
  readonly #response: IncomingMessage
  readonly #maxBytes: number
  readonly #onEnd: () => void
  readonly #chunks: Buffer[] = []
  #received = 0
  #result: { readonly text: string } | { readonly error: unknown } | undefined
  #deliver: (() => void) | undefined

  /**
   * @param codings null for a response without a body
   * @param onEnd called when it has arrived or failed
   */
  constructor(
    response: IncomingMessage,
    codings: readonly Coding[] | null,
    onEnd: () => void,
    maxBytes = Number.POSITIVE_INFINITY,
  ) {
    this.#response = response
    this.#maxBytes = maxBytes
    this.#onEnd = onEnd
    if (codings === null) {
      this.#end({ text: '' })
      response.resume()
      return
    }
    response.on('data', (chunk: Buffer) => this.#receive(chunk))
    response.on('end', () => this.#decode(codings))
  }

  /** Resolves to the whole decoded body, and rejects when it does not arrive whole. To be called once. */
  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#deliver = () => {
        const result = this.#result
        if (result === undefined) return
        if ('text' in result) resolve(result.text)
        else reject(result.error)
      }
      this.#deliver()
    })
  }

  /** Rejects the text, unless it has arrived. */
  fail(error: unknown): void {
    this.#end({ error })
  }

  /** Gives the body up and closes its connection. */
  async cancel(): Promise<void> {
    this.#end({ text: '' })
    if (!this.#response.complete) this.#response.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#received += chunk.length
    if (this.#received <= this.#maxBytes) {
      this.#chunks.push(chunk)
      return
    }
    this.#chunks.length = 0
    this.fail(new ResponseTooLargeError(this.#maxBytes))
    this.#response.destroy()
  }

  #decode(codings: readonly Coding[]): void {
    const succeed = (text: string) => this.#end({ text })
    const fail = (error: unknown) =>
      this.fail(error instanceof ResponseTooLargeError ? error : fetchError('terminated', error))
    // What is thrown in a listener would end the process.
    try {
      decodeBody(this.#chunks, codings, this.#maxBytes, succeed, fail)
    } catch (error) {
      fail(error)
    }
  }

  #end(result: { readonly text: string } | { readonly error: unknown }): void {
    if (this.#result !== undefined) return
    this.#result = result
    this.#onEnd()
    this.#deliver?.()
  }
}
