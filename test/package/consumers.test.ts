import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { packed } from './pack.ts'

/** What users do with two entries at once. Both entries must mean the same client and the same base class of errors. */
const USE = `
import { createBudget, createClient, EtnMarketError } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { FileStoreError, createFileStore } from 'etn-market/node'
import { createProxy } from 'etn-market/proxy'

export const client = createClient({ budget: createBudget({ credits: 1, store: createFileStore('x.json') }) })
export const feed = createPriceFeed(client)
export const proxy = createProxy({ client, allow: ['token.price'], budget: false })
export const codeOf = (error: EtnMarketError): string => error.code
export const own = (error: FileStoreError): string => codeOf(error)
export const locks = client.locks.get.many([])
export const price = () => client.token.price({ address: '' }).withMeta()
export const copy = { ...client }
`
/** A client of one module system in a feed, a proxy and a check of errors of the other. */
const MIXED = `
import { createPriceFeed } from 'etn-market/feed'
import { FileStoreError } from 'etn-market/node'
import { createProxy } from 'etn-market/proxy'
import { client } from './OTHER'
import { codeOf } from '../../src/feed/failures.ts'
createPriceFeed(client)
createProxy({ client, allow: ['token.price'], budget: false })
export const own = (error: FileStoreError): string => codeOf(error)
`
const mixedWith = (other: string) => MIXED.replace('./OTHER', other)

const node10: ts.CompilerOptions = {
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Node10,
  ignoreDeprecations: '6.0',
}
const node16: ts.CompilerOptions = { module: ts.ModuleKind.Node16 }
const nodenext: ts.CompilerOptions = { module: ts.ModuleKind.NodeNext }
const bundler: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
}

test.each<[string, ts.CompilerOptions, Record<string, string>]>([
  ['node10', node10, { 'use.ts': USE }],
  ['node16 in CommonJS', node16, { 'use.cts': USE }],
  ['nodenext', nodenext, { 'use.mts': USE }],
  ['a bundler', bundler, { 'use.ts': USE }],
  ['an ES module beside CommonJS', nodenext, { 'use.cts': USE, 'other.mts': mixedWith('./use.cjs') }],
  // CommonJS may require an ES module since TypeScript 5.8.
  ['CommonJS beside an ES module', nodenext, { 'use.mts': USE, 'other.cts': mixedWith('./use.mjs') }],
])('%s: the entries fit together, and declarations can be written', (name, options, files) => {
  const folder = join(packed.project, `consumer ${name}`)
  mkdirSync(folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
  const program = ts.createProgram(
    Object.keys(files).map((path) => join(folder, path)),
    {
      ...options,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      types: [],
      strict: true,
      declaration: true,
      outDir: join(folder, 'out'),
    },
  )
  const emitted = program.emit(undefined, () => {})
  const messages = [...ts.getPreEmitDiagnostics(program), ...emitted.diagnostics].map(({ file, messageText }) => {
    return `${file?.fileName.split('/').at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
  expect(messages.filter((message) => !/^[^:]*zod/.test(message))).toEqual([])
})
