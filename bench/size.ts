import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

export interface BundleSize {
  /** Loaded at once, in bytes, minified and gzipped. */
  first: number
  /** Loaded when it is needed, in bytes, minified and gzipped. */
  later: number
}

/** What a page loads that imports `names` from the built package. */
export async function bundleSize(names: string): Promise<BundleSize> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from 'etn-market'`, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    splitting: true,
    outdir: 'bundle',
    write: false,
  })
  const sizes = outputFiles.map(({ contents, path }) => ({
    entry: path.endsWith('stdin.js'),
    size: gzipSync(contents, { level: 9 }).length,
  }))
  const sum = (entry: boolean) =>
    sizes.filter((file) => file.entry === entry).reduce((total, { size }) => total + size, 0)
  return { first: sum(true), later: sum(false) }
}
