import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

test('the licences of all packages that the program contains are stated', async () => {
  const { metafile } = await build({
    entryPoints: [root('src/cli/index.ts')],
    outdir: root('dist'),
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    minify: true,
    external: ['etn-market', 'etn-market/*', 'node-sqlite3-wasm', 'zod', 'zod/*'],
    absWorkingDir: root(''),
  })
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const names = new Set(files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []))
  const licences = readFileSync(root('.github/THIRD-PARTY-LICENSES.md'), 'utf8')
  expect(names.size).toBeGreaterThan(20)
  expect([...names].filter((name) => !new RegExp(`(^|[\\s|,])${name}($|[\\s|,])`, 'm').test(licences))).toEqual([])
})
