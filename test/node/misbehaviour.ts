import {
  BROKEN,
  BROKEN_CHARGED,
  breaks,
  CHUNKED,
  chunk,
  fin,
  head,
  type Misbehaviour,
  NOT_JSON,
  OK,
  rst,
  TIMED_OUT,
  TIMED_OUT_CHARGED,
  writes,
} from './play.ts'
import { COST, message, PRICE } from './raw-server.ts'

const whole = message()
export const CONNECTION: readonly Misbehaviour[] = [
  ['an answer', OK, writes(whole)],
  ['an answer in pieces', OK, writes(...(whole.toString().match(/.{1,50}/gs) ?? []))],
  ['the connection ends without a word', BROKEN, fin],
  ['a reset', BROKEN, rst],
  ['not HTTP', BROKEN, writes('SSH-2.0-OpenSSH_9.2\r\n')],
  ['half a status line', BROKEN, breaks(fin, 'HTTP/1.1 20')],
  ['half the headers, then the end', BROKEN, breaks(fin, `HTTP/1.1 200 OK\r\n${COST}`)],
  ['half the headers, then a reset', BROKEN, breaks(rst, `HTTP/1.1 200 OK\r\n${COST}`)],
  ['half the headers, then silence', TIMED_OUT, writes(`HTTP/1.1 200 OK\r\n${COST}`)],
  ['silence', TIMED_OUT, () => {}],
  ['headers of 20 kB in one line', BROKEN, writes(message(PRICE, `x-long: ${'x'.repeat(20_000)}\r\n`))],
  ['headers of 20 kB in many lines', BROKEN, writes(message(PRICE, 'x-many: 12345678\r\n'.repeat(1_200)))],
  ['headers of 12 kB', OK, writes(message(PRICE, `x-long: ${'x'.repeat(12_000)}\r\n${COST}`))],
  ['2,500 header lines, and then the cost', OK, writes(message(PRICE, `${'a:\r\n'.repeat(2_500)}${COST}`))],
  ['the end after an answer', OK, breaks(fin, whole)],
  ['a reset after an answer', OK, breaks(rst, whole)],
  ['connection: close', OK, breaks(fin, message(PRICE, `${COST}connection: close\r\n`))],
  ['two answers to one request', OK, writes(Buffer.concat([whole, whole]))],
  ['more than was announced', OK, writes(Buffer.concat([whole, Buffer.from('more')]))],
]

export const BODY: readonly Misbehaviour[] = [
  ['cut off', BROKEN, breaks(fin, whole.subarray(0, -5).toString().replaceAll(COST, ''))],
  ['cut off after its cost arrived', BROKEN_CHARGED, breaks(fin, whole.subarray(0, -5))],
  ['reset', BROKEN, breaks(rst, whole.subarray(0, -5).toString().replaceAll(COST, ''))],
  ['reset after its cost arrived', BROKEN_CHARGED, breaks(rst, whole.subarray(0, -5))],
  ['none of it, then the end', BROKEN_CHARGED, breaks(fin, head(`${COST}content-length: 9\r\n`))],
  ['stalled', TIMED_OUT, writes(head('content-length: 9\r\n'), '{')],
  ['stalled after its cost arrived', TIMED_OUT_CHARGED, writes(head(`${COST}content-length: 9\r\n`), '{')],
  ['none of it, then silence', TIMED_OUT_CHARGED, writes(head(`${COST}content-length: 9\r\n`))],
  ['in chunks', OK, writes(head(COST + CHUNKED), chunk(PRICE.slice(0, 9)), chunk(PRICE.slice(9)), '0\r\n\r\n')],
  ['in chunks, with trailers', OK, writes(head(COST + CHUNKED), chunk(PRICE), '0\r\nx-credits-cost: 9\r\n\r\n')],
  ['in chunks, without the last one', BROKEN_CHARGED, breaks(fin, head(COST + CHUNKED), chunk(PRICE))],
  ['in chunks, then a reset', BROKEN_CHARGED, breaks(rst, head(COST + CHUNKED), chunk(PRICE))],
  ['in chunks, then silence', TIMED_OUT_CHARGED, writes(head(COST + CHUNKED), chunk(PRICE))],
  ['in a chunk without a size', BROKEN_CHARGED, writes(head(COST + CHUNKED), `zz\r\n${PRICE}\r\n0\r\n\r\n`)],
  ['in a chunk that is too long', BROKEN_CHARGED, writes(head(COST + CHUNKED), `2\r\n${PRICE}\r\n0\r\n\r\n`)],
  ['up to the end of the connection', OK, breaks(fin, head(COST), PRICE)],
  ['up to a reset', OK, breaks(rst, head(COST), PRICE)],
  ['with a byte order mark', OK, writes(message(`\ufeff${PRICE}`))],
  [
    'with bytes that are no UTF-8',
    'ok "\ufffd\ufffd("',
    writes(message(Buffer.from(PRICE.replace('0.5', '\xff\xc3('), 'latin1'))),
  ],
  [
    'cut within a character',
    'ok "€"',
    (socket, number) => {
      const bytes = message(PRICE.replace('0.5', '€'))
      const middle = bytes.indexOf(Buffer.from('€')) + 1
      return writes(bytes.subarray(0, middle), bytes.subarray(middle))(socket, number)
    },
  ],
  ['empty', NOT_JSON, writes(message(''))],
]

export const STATUS: readonly Misbehaviour[] = [
  [
    '102 and 103 before the answer',
    OK,
    writes(head('', '102 Processing'), head('link: </x>\r\n', '103 Early Hints'), whole),
  ],
  ['102 and then the end', BROKEN, breaks(fin, head('', '102 Processing'))],
  [
    '101 to another protocol',
    BROKEN,
    writes(head('connection: upgrade\r\nupgrade: websocket\r\n', '101 Switching Protocols')),
  ],
  ['204', NOT_JSON, writes(head(COST, '204 No Content'))],
  ['205 with a body', NOT_JSON, writes(message(PRICE, COST, '205 Reset Content'))],
  ['304', 'ApiError front_error unknown', writes(head(COST, '304 Not Modified'))],
  [
    '404',
    'NotFoundError not_found none',
    writes(message('{"error":{"code":"not_found","message":"no"}}', '', '404 Not Found')),
  ],
  ['502 in HTML', 'ServiceError front_error unknown', writes(message('<html>', '', '502 Bad Gateway'))],
  [
    '503 with two Retry-After',
    'ServiceError x none',
    writes(message('{"error":{"code":"x","message":"no"}}', 'retry-after: 100\r\nretry-after: 200\r\n', '503 No')),
  ],
  ['600', 'ServiceError front_error unknown', writes(message('{}', '', '600 What'))],
  ['999', 'ServiceError front_error unknown', writes(message('{}', '', '999 What'))],
  ['99', BROKEN, writes(message('{}', '', '99 What'))],
  ['no reason phrase', OK, writes(message(PRICE, COST, '200'))],
  ['HTTP/1.0', OK, breaks(fin, whole.toString().replace('1.1', '1.0'))],
  ['HTTP/2.0', OK, writes(whole.toString().replace('1.1', '2.0'))],
  [
    'a redirect within the origin',
    OK,
    (socket, number) =>
      writes(number % 2 === 1 ? message('gone', 'location: /v1/there?x=1#y\r\n', '307 There') : whole)(socket, number),
  ],
  [
    'a redirect to elsewhere',
    'ApiError redirect_not_followed unknown',
    writes(message('gone', 'location: http://127.0.0.1:1/\r\n', '302 There')),
  ],
  [
    'a redirect with a body that never ends',
    OK,
    (socket, number) =>
      writes(number % 2 === 1 ? head('content-length: 9\r\nlocation: /v1/there\r\n', '307 There') : whole)(
        socket,
        number,
      ),
  ],
]

export const HEADERS: readonly Misbehaviour[] = [
  ['the cost twice', 'ok "0.5"', writes(message(PRICE, 'x-credits-cost: 50\r\nX-Credits-Cost: 50\r\n'))],
  ['the cost with white space', OK, writes(message(PRICE, 'x-credits-cost:  \t 49 \t \r\n'))],
  ['the cost in capitals', OK, writes(message(PRICE, 'X-CREDITS-COST: 49\r\n'))],
  ['the cost empty', OK, writes(message(PRICE, 'x-credits-cost:\r\n'))],
  ['a name without a value', BROKEN, writes(message(PRICE, 'x-credits-cost\r\n'))],
  ['bytes beyond ASCII', OK, writes(message(PRICE, `${COST}x-name: caf\xe9\r\n`))],
  ['a null byte', BROKEN, writes(message(PRICE, `${COST}x-name: a\0b\r\n`))],
  ['lines that end in a newline alone', BROKEN, writes(whole.toString().replaceAll('\r\n', '\n'))],
  ['two lengths', BROKEN, writes(message(PRICE, `${COST}content-length: 3\r\n`))],
  ['a length that is no number', BROKEN, writes(head(`${COST}content-length: nine\r\n`), PRICE)],
  ['a length and chunks', BROKEN, writes(message(PRICE, COST + CHUNKED))],
]

/** Where Node's own fetch ends otherwise: what it makes of them, and what ours does. */
export const DIFFERENT: readonly (readonly [...Misbehaviour, fetch: string])[] = [
  // RFC 9110 15.2: a client has to accept an interim answer that it did not ask for.
  ['100 before the answer', OK, writes(head('', '100 Continue'), whole), BROKEN],
  // RFC 9112 5.1 and 5.2 forbid both; node:http reads them only with its insecure parser.
  ['a name with a space', BROKEN, writes(message(PRICE, `${COST}x credits: 1\r\n`)), OK],
  ['a line that goes on in the next', BROKEN, writes(message(PRICE, `${COST}x-long: a\r\n b\r\n`)), OK],
]
