import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import {
  BROKEN,
  BROKEN_CHARGED,
  breaks,
  CHUNKED,
  fin,
  head,
  type Misbehaviour,
  NOT_DECODED,
  NOT_JSON,
  OK,
  rst,
  TIMED_OUT_CHARGED,
  writes,
} from './play.ts'
import { COST, message, PRICE } from './raw-server.ts'

const packed = (bytes: Buffer, encoding: string, headers = COST) =>
  writes(message(bytes, `${headers}content-encoding: ${encoding}\r\n`))

const packedTimes = (count: number) =>
  packed(
    Array(count)
      .fill(gzipSync)
      .reduce((bytes, pack) => pack(bytes), Buffer.from(PRICE)),
    Array(count).fill('gzip').join(),
  )

/** What a service may do with content codings. */
export const CODING: readonly Misbehaviour[] = [
  ['gzip', OK, packed(gzipSync(PRICE), 'gzip')],
  ['x-gzip in capitals', OK, packed(gzipSync(PRICE), 'X-GZIP')],
  ['deflate', OK, packed(deflateSync(PRICE), 'deflate')],
  ['deflate, raw', OK, packed(deflateRawSync(PRICE), 'deflate')],
  ['br', OK, packed(brotliCompressSync(PRICE), 'br')],
  ['gzip, br', OK, packed(brotliCompressSync(gzipSync(PRICE)), 'gzip, br')],
  ['gzip and br in two lines', OK, packed(brotliCompressSync(gzipSync(PRICE)), 'gzip\r\ncontent-encoding: br')],
  ['identity', OK, packed(Buffer.from(PRICE), 'identity')],
  ['an unknown one', OK, packed(Buffer.from(PRICE), 'gzip, rot13')],
  ['no name', OK, packed(Buffer.from(PRICE), '')],
  ['five of them', OK, packedTimes(5)],
  ['six of them', BROKEN, packedTimes(6)],
  ['gzip that is plain', NOT_DECODED, packed(Buffer.from(PRICE), 'gzip')],
  ['gzip that is plain, cost unknown', NOT_DECODED, packed(Buffer.from(PRICE), 'gzip', '')],
  ['br that is plain', NOT_DECODED, packed(Buffer.from(PRICE), 'br')],
  ['deflate that is plain', NOT_DECODED, packed(Buffer.from(PRICE), 'deflate')],
  [
    'gzip with a wrong checksum',
    NOT_DECODED,
    packed(Buffer.concat([gzipSync(PRICE).subarray(0, -8), Buffer.alloc(8, 1)]), 'gzip'),
  ],
  ['gzip with something after it', NOT_DECODED, packed(Buffer.concat([gzipSync(PRICE), Buffer.from('more')]), 'gzip')],
  ['two gzips', OK, packed(Buffer.concat([gzipSync(PRICE.slice(0, 9)), gzipSync(PRICE.slice(9))]), 'gzip')],
  ['half a gzip, whole for HTTP', NOT_JSON, packed(gzipSync(PRICE).subarray(0, 40), 'gzip')],
  ['half a br, whole for HTTP', NOT_JSON, packed(brotliCompressSync(PRICE).subarray(0, 40), 'br')],
  ['nothing', NOT_JSON, packed(Buffer.alloc(0), 'gzip')],
  [
    'gzip, cut off',
    BROKEN_CHARGED,
    breaks(fin, message(gzipSync(PRICE), `${COST}content-encoding: gzip\r\n`).subarray(0, -9)),
  ],
  [
    'gzip in chunks, reset',
    BROKEN_CHARGED,
    breaks(rst, head(`${COST}content-encoding: gzip\r\n${CHUNKED}`), '1\r\n\x1f\r\n'),
  ],
  [
    'gzip, stalled',
    TIMED_OUT_CHARGED,
    writes(message(gzipSync(PRICE), `${COST}content-encoding: gzip\r\n`).subarray(0, -9)),
  ],
  [
    'gzip on a 404',
    'NotFoundError gone none',
    writes(message(gzipSync('{"error":{"code":"gone","message":"no"}}'), 'content-encoding: gzip\r\n', '404 No')),
  ],
]
