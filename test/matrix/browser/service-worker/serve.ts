import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from 'etn-market/proxy'
import { serve } from '../../proxy/serve/process.ts'
import { BASE_PATH } from '../../proxy/settings.ts'

const SCRIPTS = ['/page.js', '/worker.js']
const PAGE = '<!doctype html><meta charset="utf-8"><title>page</title><script type="module" src="/page.js"></script>'

/** Serves the page, its worker and the proxy. `/seen` answers with the requested paths and the number of open streams. */
serve(({ proxy }) => {
  const market = toNodeHandler(proxy)
  const paths: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://page.test').pathname
    const answer = (type: string, text: string) => response.writeHead(200, { 'content-type': type }).end(text)
    if (path === '/seen') return answer('application/json', JSON.stringify({ paths, streams: proxy.status().streams }))
    paths.push(path)
    if (path.startsWith(BASE_PATH)) return market(request, response)
    if (path === '/kept.json') return answer('application/json', '{}')
    return SCRIPTS.includes(path)
      ? answer('text/javascript', readFileSync(`.${path}`, 'utf8'))
      : answer('text/html', PAGE)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({ port, close: () => server.close().closeAllConnections() })
    })
  })
})
