import { readFileSync } from 'node:fs'
import { parse } from 'node:path'
import { gzipSync } from 'node:zlib'
import { transform } from 'esbuild'

/** Names that are free in Node and nowhere else. */
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

/** What of Node a script asks for: modules by name, and globals that it neither declares nor reads off `globalThis`. */
export async function nodeTraces(path: string): Promise<string[]> {
  const text = readFileSync(path, 'utf8')
  const imports = [...text.matchAll(/["'`](node:[\w/]+)["'`]/g)].map(([, name]) => name ?? '')
  // esbuild replaces a name only where it is not declared.
  const define = Object.fromEntries(NODE_GLOBALS.map((name) => [name, `NODE_GLOBAL_${name}`]))
  const { code } = await transform(text, { define, format: 'esm', logLevel: 'silent' })
  const globals = [...code.matchAll(/NODE_GLOBAL_(\w+)/g)].map(([, name]) => name ?? '')
  return [...new Set([...imports, ...globals])]
}

/** Words of the client, and of what it loads later, that survive minifying. */
const MARKS: Record<string, RegExp> = {
  client: /x-credits-cost/,
  zod: /ZodMini|\$ZodType|_zod/,
}

/** What is in a page's script and in all that it may load; a file that nothing names is never loaded. */
export function partsIn(page: string, others: readonly string[]): string[] {
  let text = readFileSync(page, 'utf8')
  const left = new Set(others)
  const named = () => [...left].find((path) => text.includes(parse(path).name))
  for (let path = named(); path !== undefined; path = named()) {
    left.delete(path)
    text += readFileSync(path, 'utf8')
  }
  return Object.keys(MARKS).filter((name) => MARKS[name]?.test(text))
}

export function gzipped(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0)
}
