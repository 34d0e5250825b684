import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { packed, ROOT } from './pack.ts'

const FILE = join(packed.project, 'all-operations.ts')

/** What the types of today need, and a tenth more. Counts are the same on every machine. */
const MAX = { instantiations: 1_100, lines: 2_850 }

test('to check a file with every operation, the compiler instantiates few types, and reads few declarations', () => {
  copyFileSync(join(ROOT, 'examples/support/steps.ts'), FILE)
  const program = ts.createProgram([FILE], {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
    types: [],
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    skipLibCheck: true,
  })
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([])
  const declarations = program.getSourceFiles().filter(({ fileName }) => fileName.includes('etn-market/dist/'))
  const lines = declarations.reduce((sum, { text }) => sum + text.split('\n').length, 0)
  expect(declarations.length).toBeGreaterThan(0)
  expect(lines).toBeLessThanOrEqual(MAX.lines)
  expect(program.getInstantiationCount()).toBeLessThanOrEqual(MAX.instantiations)
})
