import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { RollupLog } from 'rollup'
import { versionOf } from '../support/result.ts'

/** Builds the script of a page into a folder. */
export interface Bundler {
  readonly name: string
  readonly version: string
  build(entry: string, outdir: string): Promise<void>
}

const esbuild: Bundler = {
  name: 'esbuild',
  version: versionOf('esbuild'),
  async build(entry, outdir) {
    const { build } = await import('esbuild')
    await build({
      entryPoints: { page: entry },
      outdir,
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      platform: 'browser',
      tsconfigRaw: {},
      logLevel: 'silent',
    })
  },
}

/** What a bundler says about files of a dependency alone is not about this package. */
function concernsDependency({ id, ids = [], loc }: Pick<RollupLog, 'id' | 'ids' | 'loc'>): boolean {
  const files = [...ids, id ?? loc?.file ?? ''].filter((file) => file !== '')
  return files.length > 0 && files.every((file) => /node_modules\/(ky|p-retry|is-network-error|zod)\//.test(file))
}

const rollup: Bundler = {
  name: 'rollup',
  version: versionOf('rollup'),
  async build(entry, outdir) {
    const { rollup } = await import('rollup')
    const { nodeResolve } = await import('@rollup/plugin-node-resolve')
    const warnings: string[] = []
    const bundle = await rollup({
      input: { page: entry },
      plugins: [nodeResolve({ browser: true })],
      onLog: (_level, log) => void (concernsDependency(log) || warnings.push(log.message)),
    })
    await bundle.write({ dir: outdir, format: 'es', entryFileNames: '[name].js' })
    await bundle.close()
    if (warnings.length > 0) throw new Error(`rollup warned: ${warnings.join('; ')}`)
  },
}

const vite: Bundler = {
  name: 'Vite',
  version: versionOf('vite'),
  async build(entry, outdir) {
    const { build } = await import('vite')
    const warnings: string[] = []
    await build({
      root: dirname(entry),
      configFile: false,
      logLevel: 'silent',
      build: {
        outDir: outdir,
        emptyOutDir: true,
        modulePreload: false,
        rollupOptions: {
          input: { page: entry },
          output: { entryFileNames: '[name].js' },
          onLog: (_level, log) => void (concernsDependency(log) || warnings.push(log.message)),
        },
      },
    })
    if (warnings.length > 0) throw new Error(`Vite warned: ${warnings.join('; ')}`)
  },
}

const webpack: Bundler = {
  name: 'webpack',
  version: versionOf('webpack'),
  async build(entry, outdir) {
    const { default: run } = await import('webpack')
    const stats = await new Promise<import('webpack').Stats | undefined>((resolve, reject) => {
      const options = { mode: 'production', target: 'web', context: dirname(entry), entry: { page: entry } } as const
      run({ ...options, output: { path: outdir, filename: '[name].js' }, performance: false }, (error, done) =>
        error ? reject(error) : resolve(done),
      )
    })
    if (stats === undefined || stats.hasErrors() || stats.hasWarnings()) {
      throw new Error(`webpack warned: ${stats?.toString({ preset: 'errors-warnings', colors: false })}`)
    }
  },
}

/** It reads `exports` of packages only where the project says so, as the README has it. */
const parcel: Bundler = {
  name: 'Parcel',
  version: versionOf('parcel'),
  async build(entry, outdir) {
    const folder = dirname(entry)
    const settings = { ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), ...packageExports }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(settings))
    const { Parcel } = await import('@parcel/core')
    const bundler = new Parcel({
      entries: entry,
      defaultConfig: createRequire(import.meta.url).resolve('@parcel/config-default'),
      mode: 'production',
      shouldDisableCache: true,
      defaultTargetOptions: { shouldOptimize: true, shouldScopeHoist: true, sourceMaps: false },
      targets: {
        page: {
          distDir: outdir,
          distEntry: 'page.js',
          publicUrl: './',
          context: 'browser',
          outputFormat: 'esmodule',
          engines: { browsers: ['chrome 120'] },
        },
      },
    })
    await bundler.run()
  },
}
const packageExports = { '@parcel/resolver-default': { packageExports: true } }

export const bundlers: readonly Bundler[] = [vite, webpack, esbuild, rollup, parcel]

/** The paths of all scripts that a build wrote. */
export function scriptsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.m?js$/.test(path))
    .map((path) => join(folder, path))
}

/** Writes the HTML page that loads a build. */
export function writePage(outdir: string): void {
  const page = '<!doctype html><meta charset="utf-8"><script type="module" src="./page.js"></script>'
  writeFileSync(join(outdir, 'index.html'), page)
}
