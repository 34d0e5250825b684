import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { emitGuards } from './emit-guards.ts'
import { emitMethods, emitOperations, emitTable } from './emit-operations.ts'
import { emitSchemas } from './emit-schemas.ts'
import { emitTypes, HEADER } from './emit-types.ts'
import { type Model, readModel } from './model.ts'

const ROOT = new URL('../../', import.meta.url)
const START = '<!-- operations:start -->'
const END = '<!-- operations:end -->'

/** Everything that is made from the contract, by path from the project's root. */
export function generate(yaml: string, readme: string): Map<string, string> {
  const model = readModel(yaml)
  return new Map([
    ['src/generated/types.ts', emitTypes(model)],
    ['src/generated/schemas.ts', emitSchemas(model)],
    ['src/generated/guards.ts', emitGuards(model)],
    ['src/generated/operations.ts', emitOperations(model)],
    ['src/generated/methods.ts', emitMethods(model)],
    ['src/generated/document.ts', emitDocument(model)],
    ['README.md', fillTable(readme, emitTable(model))],
  ])
}

function emitDocument(model: Model): string {
  const json = JSON.stringify(model.document, null, 1)
  return `${HEADER}\n/** The contract itself, as the fake service answers it on \`/openapi.json\`. */\nexport const document: Record<string, unknown> = ${json}\n`
}

function fillTable(readme: string, table: string): string {
  const start = readme.indexOf(START)
  const end = readme.indexOf(END)
  if (start < 0 || end < start) throw new Error(`README.md: the markers ${START} and ${END} are missing`)
  return `${readme.slice(0, start + START.length)}\n${table}\n${readme.slice(end)}`
}

export function readSources(): { yaml: string; readme: string } {
  const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
  return { yaml: read('src/contract/openapi.yaml'), readme: read('README.md') }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { yaml, readme } = readSources()
  for (const [path, text] of generate(yaml, readme)) writeFileSync(new URL(path, ROOT), text)
}
