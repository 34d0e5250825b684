import { serve } from './process.ts'

declare const Deno: {
  serve(
    options: { hostname: string; port: number; onListen(address: { port: number }): void },
    handler: (request: Request) => Promise<Response>,
  ): { shutdown(): Promise<void> }
}

serve(
  ({ proxy }) =>
    new Promise((resolve) => {
      const onListen = ({ port }: { port: number }) => resolve({ port, close: () => server.shutdown() })
      const server = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, proxy)
    }),
)
