import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import config from '../../tsup.config.ts'

/** Builds the package to where `one.mjs` lets the suites find it. */
export async function install(): Promise<void> {
  if (Array.isArray(config) || typeof config === 'function') throw new TypeError('One build is expected.')
  const outDir = fileURLToPath(new URL('node_modules/etn-market/dist', import.meta.url))
  await build({ ...config, config: false, dts: false, sourcemap: false, silent: true, format: ['esm'], outDir })
}
