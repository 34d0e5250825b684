import type { MarketProxy } from 'etn-market/proxy'
import { Hono } from 'hono'
import { newVisitorCookie, visitorOf } from './visitor.ts'

export function createApp(proxy: MarketProxy): Hono {
  const app = new Hono()
  app.all('/api/market/*', (context) => proxy(context.req.raw))
  app.get('/', async (context) => {
    if (!(await visitorOf(context.req.raw))) context.header('set-cookie', await newVisitorCookie())
    return context.html('<div id="app"></div>')
  })
  return app
}
