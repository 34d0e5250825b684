import { serve as serveNode } from 'srvx'
import { serve } from './process.ts'

serve(async ({ proxy }) => {
  const server = serveNode({ fetch: proxy, hostname: '127.0.0.1', port: 0, gracefulShutdown: false, silent: true })
  await server.ready()
  return { port: Number(new URL(server.url ?? '').port), close: () => server.close() }
})
