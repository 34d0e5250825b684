import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type MarketProxy, toNodeHandler } from 'etn-market/proxy'
import { onTestFinished } from 'vitest'

/** Serves a proxy over loopback, by its handler for Node. Returns its origin. */
export async function listen(proxy: MarketProxy): Promise<string> {
  const server = createServer(toNodeHandler(proxy))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
