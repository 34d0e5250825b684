import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

export interface BundleSize {
  /** Loaded at once, in bytes, minified and gzipped. */
  readonly first: number
  /** Loaded when it is needed, in bytes, minified and gzipped. */
  readonly later: number
}

/** What a page loads whose script is `contents`. */
export async function bundleSize(contents: string): Promise<BundleSize> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    splitting: true,
    outdir: 'bundle',
    write: false,
  })
  const [first = 0, ...later] = outputFiles
    .toSorted((a, b) => Number(b.path.endsWith('stdin.js')) - Number(a.path.endsWith('stdin.js')))
    .map((file) => gzipSync(file.contents, { level: 9 }).length)
  return { first, later: later.reduce((sum, size) => sum + size, 0) }
}
