import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { ROOT } from './pack.ts'

/** Bytes of a browser's bundle, minified and gzipped: what loads first, and what loads when it is asked for. */
async function measure(code: string): Promise<{ first: number; all: number; text: string }> {
  if (!existsSync(join(ROOT, 'dist/index.js'))) throw new Error('dist/index.js is missing: run `npm run build` first.')
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: join(ROOT, 'dist'), sourcefile: 'app.js' },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: 'out',
    write: false,
    logLevel: 'silent',
    external: ['msw'],
  })
  const sizes = outputFiles.map(({ path, contents, text }) => {
    const lazy = /schemas/.test(path) && !/stdin/.test(path)
    return { bytes: gzipSync(contents, { level: 9 }).length, lazy, text }
  })
  const sum = (files: typeof sizes) => files.reduce((total, { bytes }) => total + bytes, 0)
  const first = sizes.filter(({ lazy }) => !lazy)
  return { first: sum(first), all: sum(sizes), text: first.map(({ text }) => text).join('\n') }
}

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

describe('minified and gzipped for a browser', () => {
  // ky 5.1 kB, keccak 2.6, p-retry 1.6; what is left is ours: guards 1.4, the operation table 0.7, errors 0.7, the steps.
  test('the whole client loads at most 26.5 kB at first', async () => {
    const { first } = await measure("export * from './index.js'")
    expect(first, `the whole client loads ${kB(first)} at first`).toBeLessThanOrEqual(26_500)
  })

  // The aim, not met yet. This one fails on the day that it is.
  test.fails('the whole client takes at most 20 kB, with what it only loads to tell why an answer is wrong', async () => {
    const { first, all } = await measure("export * from './index.js'")
    expect(all, `the whole client takes ${kB(all)}, of which ${kB(first)} load at first`).toBeLessThanOrEqual(20_000)
  })

  test('what loads at first holds no zod', async () => {
    const { first, text } = await measure("export * from './index.js'")
    expect(/ZodMini|\$ZodType/.test(text), `zod is among the ${kB(first)} that load at first`).toBe(false)
    expect(/ZodMini|\$ZodType/.test((await measure("export * from 'zod/mini'")).text)).toBe(true)
  })
})
