import { toNodeHandler } from 'etn-market/proxy'
import { proxy } from './market.ts'

/** The part of Vite's server that the plugin uses. */
interface Server {
  readonly middlewares: { use(path: string, handler: ReturnType<typeof toNodeHandler>): unknown }
}

const market = {
  name: 'market',
  configureServer: ({ middlewares }: Server) => void middlewares.use('/api/market', toNodeHandler(proxy)),
}

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default { plugins: [market] }
