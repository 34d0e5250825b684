import type { IncomingMessage } from 'node:http'
import { ResponseTooLargeError } from '../transport/response-text.ts'
import { type Coding, decodeBody } from './decode-body.ts'
import { fetchError } from './fetch-error.ts'

/** A body that is being received. */
export interface BufferedBody {
  /** Resolves to the whole decoded body, and rejects when it does not arrive whole. */
  readonly text: Promise<string>
  /** Rejects `text`, unless it is settled. */
  fail(reason: unknown): void
  /** Gives the body up and closes its connection. */
  cancel(): Promise<void>
}

/** Receives a body and decodes it. `codings` is null for a response without a body. `onEnd` is called once. */
export function bufferBody(
  response: IncomingMessage,
  codings: readonly Coding[] | null,
  onEnd: () => void,
  maxBytes = Number.POSITIVE_INFINITY,
): BufferedBody {
  let succeed: (text: string) => void = () => {}
  let fail: (reason: unknown) => void = () => {}
  const text = new Promise<string>((resolve, reject) => {
    succeed = (decoded) => {
      onEnd()
      resolve(decoded)
    }
    fail = (reason) => {
      onEnd()
      reject(reason)
    }
  })
  // The caller may have discarded it.
  text.catch(() => {})

  if (codings === null) {
    succeed('')
    response.resume()
  } else {
    const chunks: Buffer[] = []
    let received = 0
    const onFailure = (error: Error) => fail(isTooLarge(error) ? error : fetchError('terminated', error))
    response.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received <= maxBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        fail(new ResponseTooLargeError(maxBytes))
        response.destroy()
      }
    })
    response.on('end', () => {
      // What is thrown in a listener would end the process.
      try {
        decodeBody(chunks, codings, maxBytes, succeed, onFailure)
      } catch (error) {
        onFailure(error as Error)
      }
    })
  }

  return {
    text,
    fail,
    async cancel() {
      succeed('')
      if (!response.complete) response.destroy()
    },
  }
}

const isTooLarge = (error: Error) => error instanceof ResponseTooLargeError
