import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'

/** Stands between a client and a server, and loses what the server says. */
export interface TcpProxy {
  readonly port: number
  /** The next answer of the server is lost, and its connection is cut. Resolves when that has happened. */
  loseNextAnswer(): Promise<void>
  /** From now on answers are lost, and connections are not cut. */
  swallowAnswers(): void
  /** Cuts every connection. */
  cut(): void
  /** Connections so far. */
  readonly connections: number
  close(): Promise<void>
}

export async function startTcpProxy(serverPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let onLost: (() => void) | undefined
  let isSwallowing = false
  let connections = 0
  const proxy = createServer((client) => {
    connections++
    const server = createConnection({ port: serverPort, host: '127.0.0.1' })
    const pair = [client, server] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    client.on('data', (chunk) => server.write(chunk))
    server.on('data', (chunk) => {
      if (onLost !== undefined) {
        end()
        onLost()
        onLost = undefined
      } else if (!isSwallowing) client.write(chunk)
    })
    for (const socket of pair) socket.on('error', end).on('close', end)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as { port: number }).port,
    loseNextAnswer: () =>
      new Promise((resolve) => {
        onLost = resolve
      }),
    swallowAnswers() {
      isSwallowing = true
    },
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
    },
    get connections() {
      return connections
    },
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        for (const pair of pairs) for (const socket of pair) socket.destroy()
      }),
  }
}
