import { serve } from './process.ts'

declare const Bun: {
  serve(options: { hostname: string; port: number; fetch: (request: Request) => Promise<Response> }): {
    readonly port: number
    stop(): Promise<void>
  }
}

serve(({ proxy }) => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: proxy })
  return { port: server.port, close: () => server.stop() }
})
