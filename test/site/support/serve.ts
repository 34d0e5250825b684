import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Where `npm run docs` writes the site. */
export const DOCS = join(ROOT, 'docs')

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
}

export interface Site {
  readonly url: string
  /** Paths of all files, relative to the site. */
  readonly files: readonly string[]
  /** Paths of all pages. */
  readonly pages: readonly string[]
  close(): Promise<void>
}

/** The site on a loopback port, with caching, because all pages share their scripts. */
export async function serveDocs(): Promise<Site> {
  const files = readdirSync(DOCS, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(DOCS.length + 1))
  const known = new Set(files)
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://localhost').pathname).slice(1) || 'index.html'
    if (!known.has(path)) return void response.writeHead(404).end()
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream')
    response.setHeader('cache-control', 'max-age=600')
    response.end(await readFile(join(DOCS, path)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    files,
    pages: files.filter((path) => path.endsWith('.html')).sort(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
