import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import manifest from '../../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const DECLARATIONS = join(ROOT, '.cache/declarations')

/**
 * Leaves out of the declarations that TypeScript has written (`tsconfig.declarations.json`) what no entry exports, and writes them once for each
 * module system. Each source file keeps a file of its own: messages of the compiler then name it instead of a chunk, and "Go to definition"
 * finds each member in the source, which is published as well.
 */
const bundle = await rollup({
  input: Object.fromEntries(
    Object.keys(manifest.exports)
      .filter((subpath) => subpath !== './package.json')
      .map((subpath) => [subpath.slice(2) || 'index', join(DECLARATIONS, subpath, 'index.d.ts')]),
  ),
  external: (name) => /^[\w@]/.test(name),
  plugins: [dts({ sourcemap: true })],
  onwarn({ message }) {
    throw new Error(message)
  },
})
for (const extension of ['d.ts', 'd.cts'])
  await bundle.write({
    dir: join(ROOT, 'dist'),
    entryFileNames: ({ name }) => `${name.replace(/\.d$/, '')}.${extension}`,
    preserveModules: true,
    preserveModulesRoot: DECLARATIONS,
    hoistTransitiveImports: false,
    sourcemap: true,
    banner: ({ isEntry }) => (isEntry ? '/// <reference lib="esnext.disposable" />' : ''),
  })
await bundle.close()
