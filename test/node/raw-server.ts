import { createServer, type Socket } from 'node:net'

/** Plays one answer on a connection; `number` is 1 for the first request. */
export type Play = (socket: Socket, number: number) => unknown

export interface RawServer {
  readonly url: string
  /** What arrived, each request's head as text. */
  readonly requests: readonly string[]
  /** Connections that were opened. */
  readonly connections: number
  readonly open: number
  close(): void
}

/** A server that writes what a test says, whether it is HTTP or not. */
export async function rawServer(play: Play): Promise<RawServer> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        requests.push(text.slice(0, end))
        text = text.slice(end + 4)
        play(socket, requests.length)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

export const PRICE = JSON.stringify({ data: { address: '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1', usd: '0.5' } })
export const COST = 'x-credits-cost: 50\r\nx-credits-remaining: 950\r\n'

/** A whole HTTP message. */
export function message(body: string | Buffer = PRICE, headers = COST, status = '200 OK'): Buffer {
  const bytes = Buffer.from(body)
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\ncontent-length: ${bytes.length}\r\n${headers}\r\n`, 'latin1'),
    bytes,
  ])
}

/** Resolves when the time is over, and the event loop has read what came for sockets until then: a late timer would be called before that. */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(() => setImmediate(resolve), ms))
