import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MarketProxy } from 'etn-market/proxy'
import { onTestFinished } from 'vitest'
import { toNodeHandler } from '../../examples/recipes/node-handler.ts'

/** Serves a proxy over loopback, by the handler of the recipes. Returns its origin. */
export async function listen(proxy: MarketProxy): Promise<string> {
  const server = createServer(toNodeHandler(proxy))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
