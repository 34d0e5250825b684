/** The pictures of `examples/dapp`, and what they were taken of. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PAGE = fileURLToPath(new URL('../../../examples/dapp', import.meta.url))
/** Holds the hash of the sources that the pictures show. */
export const MARKET_SOURCES = fileURLToPath(new URL('../market-sources.sha256', import.meta.url))
/** What a visitor sees. */
const SOURCES = ['index.html', 'src', 'server/proxy-options.ts']

/** A hash of the sources of the page: it changes when the page may look different. */
export function fingerprintPage(): string {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap(filesOf))
    hash.update(`${path}\n${readFileSync(join(PAGE, path), 'utf8').replaceAll('\r\n', '\n')}\n`)
  return hash.digest('hex')
}

function filesOf(path: string): string[] {
  if (path.includes('.')) return [path]
  const entries = readdirSync(join(PAGE, path), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return entries
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(PAGE.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}
