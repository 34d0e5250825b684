import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, onTestFinished, test } from 'vitest'

/** The transport's types, in a program whose `RequestInit` is that of another runtime. */
test.each([
  ['of Cloudflare, which has two modes of the cache', "cache?: 'no-store' | 'no-cache'"],
  ['of React Native, which has none', 'body?: unknown'],
])(
  'the fetch of a runtime with the types %s is one of the client',
  (_, more) => {
    const folder = mkdtempSync(join(import.meta.dirname, '.fetch-types-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'program.ts')
    writeFileSync(
      file,
      `import type { FetchLike } from '../../../src/transport/transport.ts'
    declare global { interface RequestInit { method?: string; signal?: AbortSignal | null; ${more} }
      interface AbortSignal { aborted: boolean }
      interface Headers {} interface Request {} interface Response { text(): Promise<string> } }
    declare function fetch(url: string, init?: RequestInit): Promise<Response>
    export const own: FetchLike = fetch
    export const wrapped: FetchLike = (url, init) => fetch(url, init)`,
    )
    const options = {
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      lib: ['lib.es2022.d.ts'],
      types: [],
    }
    const program = ts.createProgram([file], {
      ...options,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
    })
    const found = program.getSemanticDiagnostics(program.getSourceFile(file))
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  },
  60_000,
)
