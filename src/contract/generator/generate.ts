import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { emitGuards } from './emit-guards.ts'
import { emitFreshness, emitMethods, emitOperations, emitTable } from './emit-operations.ts'
import { emitAnswerSchemas, emitDataSchemas, emitSchemas } from './emit-schemas.ts'
import { emitTypes, HEADER } from './emit-types.ts'
import { type Model, readModel } from './read-contract.ts'

const ROOT = new URL('../../../', import.meta.url)
const START = '<!-- operations:start -->'
const END = '<!-- operations:end -->'

/** The text of every generated file, by its path from the project's root. */
export function generate(contract: unknown, readme: string): Map<string, string> {
  const model = readModel(contract)
  return new Map([
    ['src/generated/types.ts', emitTypes(model)],
    ['src/generated/data-schemas.ts', emitDataSchemas(model)],
    ['src/generated/schemas.ts', emitSchemas(model)],
    ['src/generated/answer-schemas.ts', emitAnswerSchemas(model)],
    ['src/generated/guards.ts', emitGuards(model)],
    ['src/generated/operations.ts', emitOperations(model)],
    ['src/generated/freshness.ts', emitFreshness(model)],
    ['src/generated/methods.ts', emitMethods(model)],
    ['src/generated/document.ts', emitDocument(model)],
    ['README.md', fillTable(readme, emitTable(model))],
  ])
}

/** The contract as text: half as long in the package as an object literal. One line for each path and component. */
function emitDocument(model: Model): string {
  return `${HEADER}
/** The contract, which the fake service answers on \`/openapi.json\`. */
export const document: Record<string, unknown> = JSON.parse(
${jsonLines(model.document, 2).map(quote).join(' +\n')},
)
`
}

/** JSON without spaces, broken into a line for each entry of the outer `depth` levels of objects. */
function jsonLines(value: unknown, depth: number): string[] {
  if (depth < 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return [JSON.stringify(value)]
  const entries = Object.entries(value).flatMap(([key, child], index) => {
    const [first = '', ...rest] = jsonLines(child, depth - 1)
    return [`${index === 0 ? '' : ','}${JSON.stringify(key)}:${first}`, ...rest]
  })
  return ['{', ...entries, '}']
}

function quote(line: string): string {
  return `  '${line.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function fillTable(readme: string, table: string): string {
  const start = readme.indexOf(START)
  const end = readme.indexOf(END)
  if (start < 0 || end < start) throw new Error(`README.md: the markers ${START} and ${END} are missing`)
  return `${readme.slice(0, start + START.length)}\n${table}\n${readme.slice(end)}`
}

export function readSources(): { contract: unknown; readme: string } {
  const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
  return { contract: parse(read('src/contract/openapi.yaml')), readme: read('README.md') }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { contract, readme } = readSources()
  for (const [path, text] of generate(contract, readme)) writeFileSync(new URL(path, ROOT), text)
}
