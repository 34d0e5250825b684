import type { ServerResponse } from 'node:http'
import { nextTurn } from '../../concurrency/event-loop.ts'
import type { Exchange } from './handle-request.ts'

/** Writes an answer to the socket: raw header lines, bodies that end early, connections that break. */
export function writeResponse(
  { reply, delivery, delivered, finish }: Exchange,
  method: string,
  response: ServerResponse,
): void {
  response.once('close', finish)
  if (delivery.kind === 'reset') {
    resetConnection(response)
    return
  }
  const bytes = new TextEncoder().encode(reply.body ?? '')
  const length = reply.body === null ? [] : ['Content-Length', String(bytes.length)]
  response.writeHead(reply.status, [...reply.headers.flat(), ...length])
  if (delivery.kind === 'whole') {
    response.once('finish', delivered)
    if (method === 'HEAD' || reply.body === null) response.end()
    else response.end(reply.body)
    return
  }
  const part = bytes.slice(0, delivery.bytes)
  const done = delivery.kind === 'truncated' ? () => response.socket?.destroy() : () => {}
  // Even without a byte of the body, the headers are sent.
  if (part.length > 0) response.write(part, done)
  else {
    response.flushHeaders()
    nextTurn().then(done)
  }
}

/** Breaks the connection, so that the other side reads ECONNRESET. */
export function resetConnection({ socket }: ServerResponse): void {
  if (socket?.resetAndDestroy) socket.resetAndDestroy()
  else socket?.destroy()
}
