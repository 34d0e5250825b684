import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MarketProxy } from 'etn-market/proxy'
import { onTestFinished } from 'vitest'

/** Serves a proxy over loopback. Returns its origin. */
export async function listen(proxy: MarketProxy): Promise<string> {
  const server = createServer((incoming, outgoing) => void answer(proxy, incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function answer(proxy: MarketProxy, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url, headers } = incoming
  const left = new AbortController()
  outgoing.on('close', () => left.abort())
  const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  const request = new Request(`http://${headers.host}${url}`, { method, headers: lines, signal: left.signal })
  const response = await proxy(request)
  outgoing.writeHead(response.status, [...response.headers])
  // The headers of a stream are sent before its first event.
  outgoing.flushHeaders()
  for await (const part of response.body ?? []) outgoing.write(part)
  outgoing.end()
}
