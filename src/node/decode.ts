import type * as Zlib from 'node:zlib'

export type Coding = 'gzip' | 'deflate' | 'br'
type Given = (bytes: Buffer) => void
type Decoder = (bytes: Buffer, then: Given, fail: (error: Error) => void) => void

/** Up to here it takes less time to decode at once than to ask a thread for it. Bytes, compressed. */
const SMALL = 65_536
const MOST_CODINGS = 5

/**
 * What is to be undone, first things first; nothing where one is unknown, as fetch does.
 * @throws Error when there are more than a sane server applies
 */
export function codingsOf(header: string | null): readonly Coding[] {
  if (header === null || header === '') return NONE
  const names = header.toLowerCase().split(',')
  if (names.length > MOST_CODINGS) throw new Error(`Too many content-encodings: ${names.length}`)
  const codings = names.map((name) => KNOWN[name.trim()])
  return codings.every((coding) => coding !== undefined) ? codings.reverse() : NONE
}

const NONE: readonly Coding[] = Object.freeze([])
const KNOWN: Readonly<Record<string, Coding>> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br' }

/** The text of a body that has come whole. */
export function decode(
  chunks: readonly Buffer[],
  codings: readonly Coding[],
  done: (text: string) => void,
  fail: (error: Error) => void,
): void {
  const [first] = chunks
  const bytes = first === undefined || chunks.length > 1 ? Buffer.concat(chunks) : first
  if (codings.length === 0) done(textOf(bytes))
  else undo(bytes, codings, 0, (decoded) => done(textOf(decoded)), fail)
}

function undo(bytes: Buffer, codings: readonly Coding[], index: number, done: Given, fail: (error: Error) => void) {
  const coding = codings[index]
  if (coding === undefined || bytes.length === 0) return done(bytes)
  decoderOf(coding, bytes)(bytes, (decoded) => undo(decoded, codings, index + 1, done, fail), fail)
}

function decoderOf(coding: Coding, bytes: Buffer): Decoder {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  // As fetch and browsers do: what was compressed without a proper end is still read.
  const lenient = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (coding === 'br') {
    const brotli = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }
    return inOneGo(zlib.brotliDecompressSync, zlib.brotliDecompress, brotli)
  }
  if (coding === 'gzip') return inOneGo(zlib.gunzipSync, zlib.gunzip, lenient)
  // Some servers send what is named deflate without the wrapping that the name asks for.
  const wrapped = ((bytes[0] ?? 0) & 0x0f) === 0x08
  return wrapped
    ? inOneGo(zlib.inflateSync, zlib.inflate, lenient)
    : inOneGo(zlib.inflateRawSync, zlib.inflateRaw, lenient)
}

function inOneGo<Options>(
  sync: (bytes: Buffer, options: Options) => Buffer,
  async: (bytes: Buffer, options: Options, done: Zlib.CompressCallback) => void,
  options: Options,
): Decoder {
  return (bytes, then, fail) => {
    if (bytes.length > SMALL) return async(bytes, options, (error, decoded) => (error ? fail(error) : then(decoded)))
    let decoded: Buffer
    try {
      decoded = sync(bytes, options)
    } catch (error) {
      return fail(error as Error)
    }
    then(decoded)
  }
}

/** As `Response.text()` reads bytes: UTF-8, without a byte order mark, with U+FFFD for what is none. */
function textOf(bytes: Buffer): string {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', marked ? 3 : 0)
}
