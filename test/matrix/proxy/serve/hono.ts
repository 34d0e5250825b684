import { serve as serveNode } from '@hono/node-server'
import { createApp } from '../../../../examples/recipes/hono.ts'
import { serve } from './process.ts'

serve(({ proxy }) => {
  const { fetch } = createApp(proxy)
  return new Promise((resolve) => {
    const server = serveNode({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({ port, close: () => server.close() }),
    )
  })
})
