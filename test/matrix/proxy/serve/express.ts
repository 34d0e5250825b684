import type { AddressInfo } from 'node:net'
import { createApp } from '../../../../examples/recipes/express.ts'
import { serve } from './process.ts'

serve(
  ({ proxy }) =>
    new Promise((resolve) => {
      const server = createApp(proxy).listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo
        resolve({ port, close: () => server.close() })
      })
    }),
)
