import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '../../..')

/** Young objects are kept apart up to this size, so that nothing is collected while bytes are counted. Megabytes. */
const NO_COLLECTION = 256
export const BYTES_FLAGS = [`--min-semi-space-size=${NO_COLLECTION}`, `--max-semi-space-size=${NO_COLLECTION}`]

/** Bundles the client of the working tree, or of a commit, with the packages of the working tree. Returns the path of the file. */
export async function bundleClient(folder: string, ref?: string): Promise<string> {
  const source = ref === undefined ? ROOT : join(folder, ref)
  if (ref !== undefined) {
    rmSync(source, { recursive: true, force: true })
    mkdirSync(source, { recursive: true })
    const archive = execFileSync('git', ['archive', ref, 'src', 'tsconfig.json'], { cwd: ROOT, maxBuffer: 1e9 })
    execFileSync('tar', ['-x', '-C', source], { input: archive })
  }
  const outfile = join(folder, `client-${ref ?? 'working-tree'}.mjs`)
  await build({
    entryPoints: [join(source, 'src/index.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    nodePaths: [join(ROOT, 'node_modules')],
    logLevel: 'error',
  })
  return outfile
}
