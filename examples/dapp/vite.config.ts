import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { marketProxy } from './server/vite-market-proxy.ts'
import { mswWorker } from './server/vite-msw-worker.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const sources = `${repository}src`

/** The sources of the library, so that a clone needs no build before the page is seen. A build of the page takes the package. */
const FROM_SOURCES = [
  { find: /^etn-market$/, replacement: `${sources}/index.ts` },
  { find: /^etn-market\/([\w-]+)$/, replacement: `${sources}/$1/index.ts` },
]

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from the default export
export default defineConfig(({ command, mode }) => {
  const hasKey = Boolean(process.env.ETN_MARKET_API_KEY)
  // A build is for a server with a key, unless it is asked for the demo: `vite build --mode demo`.
  const isDemo = mode === 'demo' || (command === 'serve' && !hasKey)
  return {
    // Relative, so that the demo works below any path of a host of static files.
    base: mode === 'demo' ? './' : '/',
    define: { __DEMO__: JSON.stringify(isDemo) },
    plugins: [react(), isDemo ? mswWorker() : marketProxy()],
    // `etn-market` is a symbolic link here, and beside its files is another React.
    resolve: { dedupe: ['react', 'react-dom'], alias: command === 'serve' ? FROM_SOURCES : [] },
    server: { fs: { allow: [repository] } },
    optimizeDeps: {
      include: ['lightweight-charts', 'msw', 'msw/browser'],
    },
    build: { target: 'es2022', chunkSizeWarningLimit: 800 },
  }
})
