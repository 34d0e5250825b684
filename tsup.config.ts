import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', fake: 'src/fake/index.ts', msw: 'src/msw/index.ts' },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  sourcemap: true,
  splitting: true,
  clean: true,
  treeshake: true,
  // What runs on every call is bundled: one file to load, nothing to install, and the CommonJS build works without require(esm).
  noExternal: ['ky', 'p-retry', 'is-network-error', 'zod', '@noble/hashes'],
  external: ['msw', 'srvx'],
})
