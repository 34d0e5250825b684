/** The pictures that Chromium takes, and what they were taken of. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const PAGE = join(ROOT, 'examples/dapp')

interface Taken {
  readonly pictures: readonly string[]
  /** What the pictures show. */
  readonly sources: readonly string[]
  /** Holds the hash of both. */
  readonly hash: string
}

/** What a visitor sees: the page, how it writes prices, and the market of the fake. */
const MARKET: Taken = {
  pictures: ['.github/images/market-dark.webp', '.github/images/market-light.webp'],
  sources: [
    'examples/dapp/index.html',
    'examples/dapp/src',
    'examples/dapp/server/proxy-options.ts',
    'src/format',
    'src/fake/data',
  ],
  hash: '.github/images/market-sources.sha256',
}

/** The chart of a recipe. */
const CANDLES: Taken = {
  pictures: ['.github/images/candles.webp'],
  sources: [
    'examples/candles/lightweight-charts.ts',
    'test/matrix/candles/take-picture.ts',
    'src/candles/ohlcv.ts',
    'src/format',
  ],
  hash: '.github/images/candles-sources.sha256',
}

export const TAKEN = { market: MARKET, candles: CANDLES }

/** A hash of pictures and of their sources: it changes when they would look different, or were made in another way. */
export function fingerprint({ pictures, sources }: Taken): string {
  const hash = createHash('sha256')
  for (const path of sources.flatMap(filesOf))
    hash.update(`${path}\n${readFileSync(join(ROOT, path), 'utf8').replaceAll('\r\n', '\n')}\n`)
  for (const path of pictures) hash.update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

/** The hash that is kept, and its file. */
export const hashFile = ({ hash }: Taken): string => join(ROOT, hash)

/** A file alone, or all files of a folder. */
function filesOf(path: string): string[] {
  if (path.includes('.')) return [path]
  return readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.\w+$/.test(file))
    .map((file) => `${path}/${file.replaceAll('\\', '/')}`)
    .sort()
}
