import { defineConfig, type Options } from 'tsup'

/** Builds that share no file: whoever loads one of them loads what it needs in as few files as can be. */
function build(entry: Record<string, string>): Options {
  return {
    entry,
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    dts: {
      entry,
      banner: '/// <reference lib="esnext.disposable" />',
      compilerOptions: { ignoreDeprecations: '6.0' },
    },
    sourcemap: true,
    splitting: true,
    treeshake: true,
    // What runs on every call is bundled: nothing to install, and the CommonJS build works without require(esm).
    noExternal: ['zod', '@noble/hashes'],
    external: ['msw', 'srvx'],
  }
}

export default defineConfig([
  // These share the classes of their errors.
  build({ index: 'src/index.ts', feed: 'src/feed/index.ts' }),
  build({ fake: 'src/fake/index.ts', msw: 'src/msw/index.ts' }),
  build({ node: 'src/node/index.ts' }),
])
