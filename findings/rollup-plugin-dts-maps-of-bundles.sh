#!/usr/bin/env bash
# rollup-plugin-dts 6.5.1: in a bundle of several source files, the declaration map has no members, and an editor opens another file.
#
# `dts({ sourcemap: true })` writes maps of the bundled declarations, which lead "Go to definition" from a declaration to its source.
# One would expect the map of a bundle to be as detailed as the maps that TypeScript wrote for its parts.
# Seen: with one source file in a bundle, a member has its line. With two, TypeScript's server opens the first line of the other file for it. No
# warning is printed. `output.preserveModules`, which keeps a file for each source, prevents it.
#
# Output seen on 2026-11-28 (where the server finds the member `usd` of `Price`, which is in line 5 of its file):
#   one source: one.ts, line 5: usd: number
#   two sources: pools.ts, line 1: /** A pool of two tokens. */
#   two sources, preserveModules: prices.ts, line 5: usd: number
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . rollup@4.67.4 rollup-plugin-dts@6.5.1 typescript@5.9.3 >/dev/null

mkdir source
cat >source/prices.ts <<'TS'
// A comment, which moves the lines of the declarations.
/** What a token costs. */
export interface Price {
  /** In dollars. */
  readonly usd: number
}
TS
cat >source/pools.ts <<'TS'
/** A pool of two tokens. */
export interface Pool {
  /** The first token. */
  readonly first: string
}
TS
cp source/prices.ts source/one.ts
printf "export * from './prices'\nexport * from './pools'\n" >source/two.ts
npx tsc --declaration --declarationMap --emitDeclarationOnly --removeComments false --module esnext --moduleResolution bundler --outDir declarations source/*.ts

cat >bundle.mjs <<'JS'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
const [input, dir, preserveModules] = process.argv.slice(2)
const bundle = await rollup({ input: { index: `declarations/${input}.d.ts` }, plugins: [dts({ sourcemap: true })] })
await bundle.write({ dir, entryFileNames: ({ name }) => `${name.replace(/\.d$/, '')}.d.ts`, sourcemap: true, preserveModules: preserveModules === 'yes' })
JS

cat >definition.mjs <<'JS'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
const file = `${process.cwd()}/use.ts`
const text = `import type { Price } from './${process.argv[2]}/index'\nexport const f = (price: Price) => price.usd\n`
writeFileSync(file, text)
const server = spawn(process.execPath, ['node_modules/typescript/lib/tsserver.js', '--disableAutomaticTypingAcquisition'])
const ask = (seq, command, args) => server.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: args })}\n`)
createInterface({ input: server.stdout }).on('line', (line) => {
  const answer = line.startsWith('{') ? JSON.parse(line) : {}
  if (answer.request_seq !== 2) return
  const [found] = answer.body
  const target = readFileSync(found.file, 'utf8').split('\n')[found.start.line - 1]
  console.log(`${basename(found.file)}, line ${found.start.line}: ${target.slice(found.start.offset - 1).trim()}`)
  server.kill()
})
ask(1, 'open', { file })
ask(2, 'definition', { file, line: 2, offset: text.split('\n')[1].indexOf('.usd') + 2 })
JS

definition() { node bundle.mjs "$1" "$2" "$3" && node definition.mjs "$2"; }
seen="one source: $(definition one out-one no)
two sources: $(definition two out-two no)
two sources, preserveModules: $(definition two out-kept yes)"
echo "$seen"
[ "$seen" = 'one source: one.ts, line 5: usd: number
two sources: pools.ts, line 1: /** A pool of two tokens. */
two sources, preserveModules: prices.ts, line 5: usd: number' ]
