import { join } from 'node:path'
import { operations } from 'etn-market'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { packed } from './pack.ts'

const FILE = join(packed.project, 'editor.mts')
const IDS = Object.keys(operations)
const TEXT = [
  "import { createClient } from 'etn-market'",
  'const client = createClient()',
  ...IDS.map((id) => `client.${id}({`),
].join('\n})\n')

/** What an editor asks, of a user's file with the packed declarations. */
const service = ts.createLanguageService({
  getScriptFileNames: () => [FILE],
  getScriptVersion: () => '1',
  getScriptSnapshot: (path) => {
    const text = path === FILE ? TEXT : ts.sys.readFile(path)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => packed.project,
  getCompilationSettings: () => ({
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    types: [],
  }),
  getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
  fileExists: (path) => path === FILE || ts.sys.fileExists(path),
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
})

const textOf = (comment: ts.SymbolDisplayPart[] = [], tags: ts.JSDocTagInfo[] = []) =>
  [comment, ...tags.map(({ text }) => text ?? [])].map((parts) => ts.displayPartsToString(parts)).join('\n')

describe.each(IDS)('%s', (id) => {
  const call = TEXT.indexOf(`client.${id}(`)
  const expectAll = (text: string) => {
    const { credits } = operations[id as keyof typeof operations]
    expect(text).toContain(credits === null ? 'Cost: free' : `Cost: ${credits.base} credits`)
    expect(text).toContain('EtnMarketError: its `code` says what went wrong')
    expect(text).not.toContain('README')
  }

  test('the hover says what it returns, what it costs and what it throws', () => {
    const { documentation, tags } = service.getQuickInfoAtPosition(FILE, call + `client.${id}`.length - 1) ?? {}
    expectAll(textOf(documentation, tags))
  })

  test('so does the help while the call is written', () => {
    const help = service.getSignatureHelpItems(FILE, call + `client.${id}({`.length, undefined)
    expect(help?.items.length).toBeGreaterThan(0)
    for (const { documentation, tags } of help?.items ?? []) expectAll(textOf(documentation, tags))
  })

  test('and the list of methods', () => {
    const at = call + `client.${id}`.lastIndexOf('.') + 1
    const name = id.split('.')[1] ?? ''
    const entry = service.getCompletionEntryDetails(FILE, at, name, undefined, undefined, undefined, undefined)
    expect(textOf(entry?.documentation)).toContain('Cost: ')
  })
})

test('a batch is a record, with null for a token without a price', () => {
  const call = TEXT.indexOf('client.prices.batch(')
  const { documentation } = service.getQuickInfoAtPosition(FILE, call + 'client.prices.b'.length) ?? {}
  expect(textOf(documentation)).toContain('null for a token without a price')
  expect(textOf(documentation)).not.toContain('PriceBatch')
})
