import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, unknown>
}

/** What users import, for example `etn-market/feed`. */
export const SUBPATHS = Object.keys(manifest.exports)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => `etn-market${subpath.slice(1)}`)

/** The name of a subpath's files in dist. */
export const fileNameOf = (subpath: string) =>
  subpath === 'etn-market' ? 'index' : subpath.slice('etn-market/'.length)

/** The package as it is published. */
export interface Packed {
  readonly tarball: string
  /** Paths inside the tarball. */
  readonly files: readonly string[]
  /** A project with the package installed from the tarball. */
  readonly project: string
}

declare module 'vitest' {
  interface ProvidedContext {
    packed: Packed
  }
}

/** What `pack-once.ts` packed for all test files. */
export const packed = inject('packed')

/** The text of a file of the packed package. */
export const readPacked = (path: string) => readFileSync(join(packed.project, 'node_modules/etn-market', path), 'utf8')

/** The environment without the variables that the client or Node reads. */
const cleanEnv = () => ({ ...process.env, ETN_MARKET_API_KEY: '', ETN_MARKET_BASE_URL: '', NODE_OPTIONS: '' })

/** Runs a script in the project of the packed package, and returns what it prints. */
export function runPacked(name: string, script: string, flags: readonly string[] = []): string {
  const path = join(packed.project, name)
  writeFileSync(path, script)
  const options = { cwd: packed.project, env: cleanEnv(), encoding: 'utf8', stdio: 'pipe' } as const
  return execFileSync(process.execPath, [...flags, path], options)
}

/** Runs a script that fails, and returns what Node prints about it. */
export function failPacked(name: string, script: string): string {
  const path = join(packed.project, name)
  writeFileSync(path, script)
  const { status, stderr } = spawnSync(process.execPath, [path], { env: cleanEnv(), encoding: 'utf8' })
  if (status === 0) throw new Error(`${name} did not fail`)
  return stderr
}
