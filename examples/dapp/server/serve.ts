/** Serves the page of `npm run build` and the proxy: `ETN_MARKET_API_KEY=… npm start`. */
import { fileURLToPath } from 'node:url'
import { serve } from 'srvx'
import { createMarketProxy } from './market-proxy.ts'
import { createPageServer } from './page.ts'
import { proxyOptions } from './proxy-options.ts'

if (!process.env.ETN_MARKET_API_KEY)
  throw new Error('Set ETN_MARKET_API_KEY. To try the page without a key: npm run dev')

const proxy = createMarketProxy()
const servePage = createPageServer(process.env.PAGE ?? fileURLToPath(new URL('../dist', import.meta.url)))

const server = serve({
  port: Number(process.env.PORT ?? 3000),
  hostname: process.env.HOST ?? '127.0.0.1',
  gracefulShutdown: false,
  silent: true,
  fetch: (request) =>
    new URL(request.url).pathname.startsWith(`${proxyOptions.basePath}/`) ? proxy(request) : servePage(request),
})
await server.ready()
console.log(`Serving the page at ${server.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    // What was sent has to be paid for, so its answer is awaited.
    await proxy.close()
    await server.close(true)
    process.exit()
  })
}
