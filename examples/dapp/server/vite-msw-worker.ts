import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

const WORKER = 'mockServiceWorker.js'

/** Serves the worker of msw from its package, so that no copy of it has to be kept. */
export function mswWorker(): Plugin {
  const read = () => readFileSync(createRequire(import.meta.url).resolve(`msw/${WORKER}`), 'utf8')
  return {
    name: 'msw-worker',
    configureServer({ middlewares }) {
      middlewares.use(`/${WORKER}`, (_request, response) => {
        response.setHeader('content-type', 'text/javascript')
        response.end(read())
      })
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: WORKER, source: read() })
    },
  }
}
