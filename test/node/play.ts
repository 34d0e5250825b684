import type { Socket } from 'node:net'
import { type Play, pause } from './raw-server.ts'

/** What a service may do to a request, by what becomes of the call. */
export type Misbehaviour = readonly [name: string, end: string, play: Play]

export const OK = 'ok "0.5"'
export const BROKEN = 'ConnectionError connection_lost unknown'
export const BROKEN_CHARGED = 'ConnectionError connection_lost charged'
export const TIMED_OUT = 'TimeoutError attempt_timeout unknown'
export const TIMED_OUT_CHARGED = 'TimeoutError attempt_timeout charged'
export const NOT_DECODED = 'ResponseError not_decoded charged'
export const NOT_JSON = 'ResponseError not_json charged'

export const head = (headers: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${headers}\r\n`
export const CHUNKED = 'transfer-encoding: chunked\r\n'
export const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

export const writes =
  (...parts: (string | Buffer)[]): Play =>
  async (socket) => {
    for (const part of parts) {
      socket.write(part)
      await pause(5)
    }
  }
/** Writes, gives the other side time to read it, and then breaks off. */
export const breaks =
  (end: (socket: Socket) => void, ...parts: (string | Buffer)[]): Play =>
  async (socket, number) => {
    await writes(...parts)(socket, number)
    await pause(20)
    end(socket)
  }
export const fin = (socket: Socket) => socket.end()
export const rst = (socket: Socket) => socket.resetAndDestroy()
