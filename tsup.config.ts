import { defineConfig } from 'tsup'

const published = {
  index: 'src/index.ts',
  fake: 'src/fake/index.ts',
  feed: 'src/feed/index.ts',
  msw: 'src/msw/index.ts',
  node: 'src/node/index.ts',
}

export default defineConfig({
  // What only the client needs stands in files of its own, so that a bundler can leave it out: `estimateCost` alone brings no client.
  entry: { ...published, client: 'src/client.ts', estimate: 'src/estimate.ts' },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: {
    entry: published,
    banner: '/// <reference lib="esnext.disposable" />',
    compilerOptions: { ignoreDeprecations: '6.0' },
  },
  sourcemap: true,
  splitting: true,
  clean: true,
  treeshake: true,
  // What runs on every call is bundled: one file to load, nothing to install, and the CommonJS build works without require(esm).
  noExternal: ['zod', '@noble/hashes'],
  external: ['msw', 'srvx'],
})
