import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'

/** The size of a script, minified. */
export interface Bundle {
  /** Loaded at once, in bytes, gzipped. */
  readonly first: number
  /** Loaded on demand, in bytes, gzipped. */
  readonly later: number
  /** What is loaded at once. */
  readonly text: string
}

/** Bundles a script whose packages and files are found from `resolveDir`. `external` packages are left out. */
export async function bundle(
  contents: string,
  resolveDir: string,
  platform: NonNullable<BuildOptions['platform']> = 'browser',
  external: readonly string[] = [],
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform,
    target: 'es2022',
    outdir: 'bundle',
    write: false,
    metafile: true,
    logLevel: 'silent',
    external: ['msw', ...external],
  })
  const atOnce = new Set<string>()
  const load = (path: string) => {
    if (atOnce.has(path)) return
    atOnce.add(path)
    for (const { path: next, kind, external } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !external) load(next)
  }
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) if (entryPoint === '<stdin>') load(path)
  const names = new Set([...atOnce].map((path) => basename(path)))
  const first = outputFiles.filter(({ path }) => names.has(basename(path)))
  const later = outputFiles.filter(({ path }) => !names.has(basename(path)))
  return { first: gzipped(first), later: gzipped(later), text: first.map(({ text }) => text).join('\n') }
}

function gzipped(files: readonly { contents: Uint8Array }[]): number {
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}
