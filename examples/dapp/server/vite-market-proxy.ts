import type { Plugin } from 'vite'
import { proxyOptions } from './proxy-options.ts'

/** Serves the proxy on Vite's development server, for `ETN_MARKET_API_KEY=… npm run dev`. */
export function marketProxy(): Plugin {
  return {
    name: 'market-proxy',
    apply: 'serve',
    async configureServer(server) {
      // Vite loads both, from the sources of the library like the page.
      const load = (path: string) => server.ssrLoadModule(path)
      const { createMarketProxy } = (await load('/server/market-proxy.ts')) as typeof import('./market-proxy.ts')
      const { toNodeHandler } = (await load('etn-market/proxy')) as typeof import('etn-market/proxy')
      const proxy = createMarketProxy()
      const handle = toNodeHandler(proxy)
      server.middlewares.use((request, response, next) => {
        if (request.url?.startsWith(`${proxyOptions.basePath}/`)) handle(request, response)
        else next()
      })
      server.httpServer?.once('close', () => void proxy.close())
    },
  }
}
