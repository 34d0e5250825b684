import { readFileSync } from 'node:fs'
import { parse } from 'node:path'
import { gzipSync } from 'node:zlib'
import { transform } from 'esbuild'

/** Globals that exist in Node only. */
const NODE_GLOBALS = [
  'process',
  'Buffer',
  'require',
  'module',
  'exports',
  '__dirname',
  '__filename',
  'global',
  'setImmediate',
]

/** The Node modules and Node globals that a script uses. A name that it declares, or reads from `globalThis`, is not a global. */
export async function nodeUses(path: string): Promise<string[]> {
  const text = readFileSync(path, 'utf8')
  const imports = [...text.matchAll(/["'`](node:[\w/]+)["'`]/g)].map(([, name]) => name ?? '')
  // esbuild replaces a name only where it is not declared.
  const define = Object.fromEntries(NODE_GLOBALS.map((name) => [name, `NODE_GLOBAL_${name}`]))
  const { code } = await transform(text, { define, format: 'esm', logLevel: 'silent' })
  const globals = [...code.matchAll(/NODE_GLOBAL_(\w+)/g)].map(([, name]) => name ?? '')
  return [...new Set([...imports, ...globals])]
}

/** Texts of the client and of zod that minifying keeps. */
const MARKERS: Record<string, RegExp> = {
  client: /x-credits-cost/,
  zod: /ZodMini|\$ZodType|_zod/,
}

/** The parts that a page's script contains or may load. A file that no loaded file names is never loaded. */
export function partsIn(page: string, others: readonly string[]): string[] {
  let text = readFileSync(page, 'utf8')
  const left = new Set(others)
  const named = () => [...left].find((path) => text.includes(parse(path).name))
  for (let path = named(); path !== undefined; path = named()) {
    left.delete(path)
    text += readFileSync(path, 'utf8')
  }
  return Object.keys(MARKERS).filter((name) => MARKERS[name]?.test(text))
}

export function gzipped(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0)
}
