import { serve as serveNode } from '@hono/node-server'
import { Hono } from 'hono'
import { BASE_PATH } from '../settings.ts'
import { serve } from './process.ts'

serve(({ proxy }) => {
  const app = new Hono()
  app.all(`${BASE_PATH}/*`, (context) => proxy(context.req.raw))
  return new Promise((resolve) => {
    const server = serveNode({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({ port, close: () => server.close() }),
    )
  })
})
