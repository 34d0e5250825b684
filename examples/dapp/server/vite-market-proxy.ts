import type { NodeHttp1Handler } from 'srvx'
import { toNodeHandler } from 'srvx/node'
import type { Plugin } from 'vite'
import { proxyOptions } from './proxy-options.ts'

/** Serves the proxy on Vite's development server, for `ETN_MARKET_API_KEY=… npm run dev`. */
export function marketProxy(): Plugin {
  return {
    name: 'market-proxy',
    apply: 'serve',
    async configureServer(server) {
      // Vite loads it, from the sources of the library like the page.
      const { createMarketProxy } = (await server.ssrLoadModule(
        '/server/market-proxy.ts',
      )) as typeof import('./market-proxy.ts')
      const proxy = createMarketProxy()
      const handle = toNodeHandler(proxy) as NodeHttp1Handler
      server.middlewares.use((request, response, next) => {
        if (request.url?.startsWith(`${proxyOptions.basePath}/`)) void handle(request, response)
        else next()
      })
      server.httpServer?.once('close', () => void proxy.close())
    },
  }
}
