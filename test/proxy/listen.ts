import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type MarketProxy, toNodeHandler } from 'etn-market/proxy'
import { onTestFinished } from 'vitest'

/** Serves a proxy over loopback, by its handler for Node. Returns its origin. */
export const listen = async (proxy: MarketProxy) => `http://127.0.0.1:${await serve(toNodeHandler(proxy))}`

/** A server of `node:http` on loopback. Returns its port. */
export async function serve(handler: RequestListener): Promise<number> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
