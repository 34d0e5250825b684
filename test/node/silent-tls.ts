import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'

/** A server that accepts connections and speaks no TLS. */
export class TlsListener implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets: Socket[] = []

  private constructor(onSocket: (socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.push(socket)
      socket.on('error', () => {})
      onSocket(socket)
    })
  }

  /** Never answers the first message of a handshake. */
  static silent(): Promise<TlsListener> {
    return TlsListener.#listen(() => {})
  }

  /** Closes the connection when the first message of a handshake has arrived. */
  static closing(): Promise<TlsListener> {
    return TlsListener.#listen((socket) => socket.once('data', () => socket.destroy()))
  }

  static async #listen(onSocket: (socket: Socket) => void): Promise<TlsListener> {
    const listener = new TlsListener(onSocket)
    listener.#server.listen(0, '127.0.0.1')
    await once(listener.#server, 'listening')
    return listener
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
