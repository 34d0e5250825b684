import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, type Options } from 'tsup'
import config from '../../tsup.config.ts'

/** Builds the package to where `one.mjs` lets the suites find it. */
export async function install(): Promise<void> {
  if (!Array.isArray(config)) throw new TypeError('A list of builds is expected.')
  const outDir = fileURLToPath(new URL('node_modules/etn-market/dist', import.meta.url))
  const asked: Options = { config: false, dts: false, sourcemap: false, silent: true, format: ['esm'], outDir }
  rmSync(outDir, { recursive: true, force: true })
  for (const one of config) await build({ ...one, ...asked })
}
