import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { afterAll } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A program that starts another one finds it compiled, too. */
const renameWorkers: Plugin = {
  name: 'rename-workers',
  setup({ onLoad }) {
    onLoad({ filter: /examples.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace("new URL('worker.ts'", "new URL('worker.mjs'"),
      loader: 'ts',
    }))
  },
}

/**
 * Compiles programs with the built package in them, and returns the file of each, for the tests of one file. Compiled anew by tsx, each start would
 * take five times as long.
 */
export async function compilePrograms(...paths: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-programs-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  await build({
    entryPoints: paths.map((path) => resolve(ROOT, path)),
    outdir: folder,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    tsconfig: join(ROOT, 'test/examples/tsconfig.json'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    plugins: [renameWorkers],
  })
  return paths.map((path) => join(folder, basename(path).replace(/\.ts$/, '.mjs')))
}
