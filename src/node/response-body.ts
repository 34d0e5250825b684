import type { IncomingMessage } from 'node:http'
import type * as Zlib from 'node:zlib'
import { ResponseTooLargeError } from '../transport/response-text.ts'
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

export type Coding = 'gzip' | 'deflate' | 'br'
type OnDecoded = (bytes: Buffer) => void
type Decoder = (bytes: Buffer, onDecoded: OnDecoded, fail: (error: Error) => void) => void

/** Up to this size, decoding at once takes less time than asking a thread for it. Bytes, compressed. */
const MAX_SYNC_BYTES = 65_536
/** A small body may be a large one: beyond this it is decoded by a thread. Bytes, decoded. */
const MAX_SYNC_OUTPUT_BYTES = 1_048_576
/** Node makes no larger text. */
const MAX_BUFFER_BYTES = 536_870_888
const MAX_CODINGS = 5

const NO_CODING: readonly Coding[] = Object.freeze([])
const KNOWN_CODINGS: Readonly<Record<string, Coding>> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br' }

/**
 * The codings to undo, in this order. None where one is unknown, as with fetch.
 * @throws Error when there are more than a server applies in practice
 */
export function parseContentEncoding(header: string | null): readonly Coding[] {
  if (header === null || header === '') return NO_CODING
  const names = header.toLowerCase().split(',')
  if (names.length > MAX_CODINGS) throw new Error(`Too many content-encodings: ${names.length}`)
  const codings = names.map((name) => KNOWN_CODINGS[name.trim()])
  return codings.every((coding) => coding !== undefined) ? codings.reverse() : NO_CODING
}

/** Decodes a body that has arrived whole. */
function decodeBody(
  chunks: readonly Buffer[],
  codings: readonly Coding[],
  maxBytes: number,
  succeed: (text: string) => void,
  fail: (error: Error) => void,
): void {
  const [first] = chunks
  const bytes = first === undefined || chunks.length > 1 ? Buffer.concat(chunks) : first
  if (codings.length === 0) succeed(decodeUtf8(bytes))
  else undoCodings(bytes, codings, 0, maxBytes, (decoded) => decodeText(decoded, succeed, fail), fail)
}

function undoCodings(
  bytes: Buffer,
  codings: readonly Coding[],
  index: number,
  maxBytes: number,
  onDecoded: OnDecoded,
  fail: (error: Error) => void,
): void {
  const coding = codings[index]
  if (coding === undefined || bytes.length === 0) {
    onDecoded(bytes)
    return
  }
  const decode = decoderOf(coding, bytes, maxBytes)
  decode(bytes, (decoded) => undoCodings(decoded, codings, index + 1, maxBytes, onDecoded, fail), fail)
}

function decoderOf(coding: Coding, bytes: Buffer, maxBytes: number): Decoder {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  // As in fetch and browsers, a compressed body without a proper end is accepted.
  const lenient = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (coding === 'br') {
    const brotli = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }
    return bySize(zlib.brotliDecompressSync, zlib.brotliDecompress, brotli, maxBytes)
  }
  if (coding === 'gzip') return bySize(zlib.gunzipSync, zlib.gunzip, lenient, maxBytes)
  // Some servers send raw deflate under the name of zlib's format.
  const isZlib = ((bytes[0] ?? 0) & 0x0f) === 0x08
  return isZlib
    ? bySize(zlib.inflateSync, zlib.inflate, lenient, maxBytes)
    : bySize(zlib.inflateRawSync, zlib.inflateRaw, lenient, maxBytes)
}

function bySize<Options>(
  sync: (bytes: Buffer, options: Options & { maxOutputLength: number }) => Buffer,
  async: (bytes: Buffer, options: Options & { maxOutputLength: number }, callback: Zlib.CompressCallback) => void,
  options: Options,
  maxBytes: number,
): Decoder {
  return (bytes, onDecoded, fail) => {
    const decodeLater = () => {
      const maxOutputLength = Math.min(maxBytes, MAX_BUFFER_BYTES)
      async(bytes, { ...options, maxOutputLength }, (error, decoded) => {
        if (error === null) onDecoded(decoded)
        else fail(isOutputTooLarge(error) ? new ResponseTooLargeError(maxBytes) : error)
      })
    }
    if (bytes.length > MAX_SYNC_BYTES) return decodeLater()
    let decoded: Buffer
    try {
      decoded = sync(bytes, { ...options, maxOutputLength: MAX_SYNC_OUTPUT_BYTES })
    } catch (error) {
      return isOutputTooLarge(error) ? decodeLater() : fail(error as Error)
    }
    if (decoded.length > maxBytes) fail(new ResponseTooLargeError(maxBytes))
    else onDecoded(decoded)
  }
}

function isOutputTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
}

/** Calls from a thread of zlib must not throw: nobody would catch that. */
function decodeText(bytes: Buffer, succeed: (text: string) => void, fail: (error: Error) => void): void {
  let text: string | undefined
  try {
    text = decodeUtf8(bytes)
  } catch (error) {
    fail(error as Error)
  }
  if (text !== undefined) succeed(text)
}

/** Reads bytes as `Response.text()` does: UTF-8 without a byte order mark, with U+FFFD for invalid bytes. */
function decodeUtf8(bytes: Buffer): string {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasByteOrderMark ? 3 : 0)
}
