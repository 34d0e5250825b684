import type { Exchange } from './answer.ts'
import { nextTurn } from './network.ts'

/** What is needed of Node's response, whatever runtime provides it. */
export interface NodeResponse {
  writeHead(status: number, headers: string[]): unknown
  flushHeaders(): void
  write(chunk: Uint8Array, done: () => void): unknown
  end(chunk?: string): unknown
  once(event: 'close' | 'finish', listener: () => void): unknown
  destroy(): unknown
  socket: { destroy(): unknown; resetAndDestroy?(): unknown } | null
}

/** Plays an answer on the socket itself: header lines as they are, bodies that end early, connections that break. */
export function playOnSocket({ reply, ending, delivered, finish }: Exchange, method: string, res: NodeResponse): void {
  res.once('close', finish)
  if (ending.kind === 'reset') {
    reset(res)
    return
  }
  const bytes = new TextEncoder().encode(reply.body ?? '')
  const length = reply.body === null ? [] : ['Content-Length', String(bytes.length)]
  res.writeHead(reply.status, [...reply.headers.flat(), ...length])
  if (ending.kind === 'whole') {
    res.once('finish', delivered)
    res.end(method === 'HEAD' ? undefined : (reply.body ?? undefined))
    return
  }
  const part = bytes.slice(0, ending.bytes)
  const done = ending.kind === 'cut' ? () => res.socket?.destroy() : () => {}
  // Nothing of the body may still mean the headers.
  if (part.length > 0) res.write(part, done)
  else {
    res.flushHeaders()
    nextTurn().then(done)
  }
}

/** Breaks the connection, so that the other side reads ECONNRESET. */
export function reset(res: NodeResponse): void {
  const { socket } = res
  if (socket?.resetAndDestroy) socket.resetAndDestroy()
  else socket?.destroy()
}
