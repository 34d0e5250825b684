import type { IncomingMessage } from 'node:http'
import { type Coding, decode } from './decode.ts'
import { failed } from './failure.ts'

export interface Body {
  /** The whole body, decoded. */
  text(): Promise<string>
  /** Nobody wants it any more. */
  cancel(): Promise<void>
  /** It will not come whole. */
  fail(reason: unknown): void
}

/** So much is read before anybody asks for it. Bytes. */
const AHEAD = 131_072

/** Collects a body as it comes; without codings it does not count. `onOver` is called once, when it is there or lost. */
export function collect(response: IncomingMessage, codings: readonly Coding[] | null, onOver: () => void): Body {
  const chunks: Buffer[] = []
  let size = 0
  let over = false
  let kept: Promise<string> | undefined
  let asker: { resolve(text: string): void; reject(reason: unknown): void } | undefined
  let asked = false

  const succeed = (text: string) => {
    if (over) return
    over = true
    onOver()
    if (asker === undefined) kept = Promise.resolve(text)
    else asker.resolve(text)
  }
  const fail = (reason: unknown) => {
    if (over) return
    over = true
    onOver()
    if (asker !== undefined) return asker.reject(reason)
    kept = Promise.reject(reason)
    // It may be that nobody ever asks.
    kept.catch(() => {})
  }

  if (codings === null) {
    succeed('')
    response.resume()
  } else {
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > AHEAD && !asked) response.pause()
    })
    response.on('end', () => decode(chunks, codings, succeed, (error) => fail(failed('terminated', error))))
  }

  return {
    fail,
    text() {
      if (asked) return Promise.reject(new TypeError('Body is unusable: Body has already been read'))
      asked = true
      if (kept !== undefined) return kept
      if (response.isPaused()) response.resume()
      return new Promise((resolve, reject) => {
        asker = { resolve, reject }
      })
    },
    async cancel() {
      asked = true
      if (over) return
      succeed('')
      response.destroy()
    },
  }
}
