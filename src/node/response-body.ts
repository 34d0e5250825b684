import type { IncomingMessage } from 'node:http'
import type { CompressCallback, ZlibOptions } from 'node:zlib'
import { ResponseTooLargeError } from '../transport/response-text.ts'
import { fetchError } from './agent-pool.ts'

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
  let resolveText: (text: string) => void = () => {}
  let fail: (reason: unknown) => void = () => {}
  const received = new Promise<string>((resolve, reject) => {
    resolveText = resolve
    fail = reject
  })
  const text = received.finally(onEnd)
  // The caller may have discarded it.
  text.catch(() => {})

  if (codings === null) {
    resolveText('')
    response.resume()
  } else {
    const chunks: Buffer[] = []
    let length = 0
    response.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        fail(new ResponseTooLargeError(maxBytes))
        response.destroy()
      }
    })
    response.on('end', () => {
      decodeBody(Buffer.concat(chunks), codings, maxBytes).then(resolveText, (error) =>
        fail(error instanceof ResponseTooLargeError ? error : fetchError('terminated', error)),
      )
    })
  }

  return {
    text,
    fail,
    async cancel() {
      resolveText('')
      if (!response.complete) response.destroy()
    },
  }
}

export type Coding = 'gzip' | 'deflate' | 'br'

/** Node makes no larger text. */
const MAX_BUFFER_BYTES = 536_870_888
const MAX_CODINGS = 5
const KNOWN_CODINGS: Readonly<Record<string, Coding>> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br' }

/**
 * The codings to undo, in this order. None where one is unknown, as with fetch.
 * @throws Error when there are more than a server applies in practice
 */
export function parseContentEncoding(header: string | null): readonly Coding[] {
  if (header === null || header === '') return []
  const names = header.toLowerCase().split(',')
  if (names.length > MAX_CODINGS) throw new Error(`Too many content-encodings: ${names.length}`)
  const codings = names.map((name) => KNOWN_CODINGS[name.trim()])
  return codings.every((coding) => coding !== undefined) ? codings.reverse() : []
}

/** Decodes a body that has arrived whole, as `Response.text()` does: UTF-8 without a byte order mark, with U+FFFD for invalid bytes. */
async function decodeBody(body: Buffer, codings: readonly Coding[], maxBytes: number): Promise<string> {
  let bytes = body
  for (const coding of codings) if (bytes.length > 0) bytes = await undoCoding(bytes, coding, maxBytes)
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasByteOrderMark ? 3 : 0)
}

type Decode = (bytes: Buffer, options: ZlibOptions, callback: CompressCallback) => void

/** In a thread: a small body may be a large one. */
function undoCoding(bytes: Buffer, coding: Coding, maxBytes: number): Promise<Buffer> {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  // As in fetch and browsers, a compressed body without a proper end is accepted.
  const flush = coding === 'br' ? BROTLI_OPERATION_FLUSH : Z_SYNC_FLUSH
  const options = { flush, finishFlush: flush, maxOutputLength: Math.min(maxBytes, MAX_BUFFER_BYTES) }
  // Some servers send raw deflate under the name of zlib's format.
  const isZlib = ((bytes[0] ?? 0) & 0x0f) === 0x08
  const inflate = isZlib ? zlib.inflate : zlib.inflateRaw
  const decode: Decode = coding === 'br' ? zlib.brotliDecompress : coding === 'gzip' ? zlib.gunzip : inflate
  return new Promise((resolve, reject) => {
    decode(bytes, options, (error, decoded) => {
      if (error === null) resolve(decoded)
      else reject(isTooLarge(error) ? new ResponseTooLargeError(maxBytes) : error)
    })
  })
}

function isTooLarge(error: Error): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
}
