/** The pictures of `examples/dapp`, and what they were taken of. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const PAGE = join(ROOT, 'examples/dapp')
/** Holds the hash of the pictures and of what they show. */
export const MARKET_SOURCES = join(ROOT, '.github/images/market-sources.sha256')
const PICTURES = ['.github/images/market-dark.webp', '.github/images/market-light.webp']
/** What a visitor sees: the page, how it writes prices, and the market of the fake. */
const SOURCES = [
  'examples/dapp/index.html',
  'examples/dapp/src',
  'examples/dapp/server/proxy-options.ts',
  'src/format',
  'src/fake/data',
]

/** A hash of the pictures and of their sources: it changes when the page may look different, or a picture was made in another way. */
export function fingerprintPage(): string {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap(filesOf))
    hash.update(`${path}\n${readFileSync(join(ROOT, path), 'utf8').replaceAll('\r\n', '\n')}\n`)
  for (const path of PICTURES) hash.update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

/** A file alone, or all files of a folder. */
function filesOf(path: string): string[] {
  if (path.includes('.')) return [path]
  return readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.\w+$/.test(file))
    .map((file) => `${path}/${file.replaceAll('\\', '/')}`)
    .sort()
}
