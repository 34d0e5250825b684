import type { MarketProxy } from 'etn-market/proxy'
import { Hono } from 'hono'

export function createApp(proxy: MarketProxy): Hono {
  const app = new Hono()
  app.all('/api/market/*', (context) => proxy(context.req.raw))
  app.get('/', (context) => context.html('<div id="app"></div>'))
  return app
}
