import { join } from 'node:path'
import { operations } from 'etn-market'
import ts from 'typescript'
import { expect, test } from 'vitest'
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
    noLib: true,
  }),
  getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
  fileExists: (path) => path === FILE || ts.sys.fileExists(path),
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
})

const textOf = (comment: ts.SymbolDisplayPart[] = [], tags: ts.JSDocTagInfo[] = []) =>
  [comment, ...tags.map(({ text }) => text ?? [])].map((parts) => ts.displayPartsToString(parts)).join('\n')

test.each(IDS)('the hover, the help and the list of methods say what %s returns, costs and throws', (id) => {
  const call = TEXT.indexOf(`client.${id}(`)
  const { documentation, tags } = service.getQuickInfoAtPosition(FILE, call + `client.${id}`.length - 1) ?? {}
  const help = service.getSignatureHelpItems(FILE, call + `client.${id}({`.length, undefined)?.items ?? []
  expect(help.length).toBeGreaterThan(0)
  const { credits } = operations[id as keyof typeof operations]
  for (const text of [{ documentation, tags }, ...help].map((shown) => textOf(shown.documentation, shown.tags))) {
    expect(text).toContain(credits === null ? 'Cost: free' : `Cost: ${credits.base} credits`)
    expect(text).toContain('EtnMarketError: its `code` says what went wrong')
    expect(text).not.toContain('README')
  }
  // Beside each parameter while it is typed.
  for (const { parameters } of help)
    for (const { documentation } of parameters) expect(ts.displayPartsToString(documentation)).not.toBe('')
  const at = call + `client.${id}`.lastIndexOf('.') + 1
  const [, name = ''] = id.split('.')
  const entry = service.getCompletionEntryDetails(FILE, at, name, undefined, undefined, undefined, undefined)
  expect(textOf(entry?.documentation)).toContain('Cost: ')
})

test('a batch is a record, with null for a token without a price', () => {
  const call = TEXT.indexOf('client.prices.batch(')
  const { documentation } = service.getQuickInfoAtPosition(FILE, call + 'client.prices.b'.length) ?? {}
  expect(textOf(documentation)).toContain('null for a token without a price')
  expect(textOf(documentation)).not.toContain('PriceBatch')
})
