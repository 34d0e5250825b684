import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../support/child.ts'
import { packed, ROOT } from './pack.ts'

const FILE = 'all-operations.ts'
const COMPILER = join(ROOT, 'node_modules/typescript-7/bin/tsc')
const OPTIONS = '--noEmit --strict --skipLibCheck --target es2022 --lib es2022,esnext.disposable,dom --module preserve'
/** With more checkers, each counts what it instantiates. */
const COUNT = '--checkers 1 --extendedDiagnostics --listFiles'

/** What the types of today need, and a tenth more. Counts are the same on every machine. */
const MAX = { instantiations: 1_100, lines: 2_850 }

test('to check a file with every operation, the compiler instantiates few types, and reads few declarations', async () => {
  copyFileSync(join(ROOT, 'examples/support/steps.ts'), join(packed.project, FILE))
  const args = [COMPILER, FILE, ...OPTIONS.split(' '), ...COUNT.split(' ')]
  const { code, stdout } = await run(process.execPath, args, { cwd: packed.project })
  expect(code, stdout).toBe(0)
  const declarations = stdout.match(/^.*etn-market\/dist\/.*$/gm) ?? []
  const lines = declarations.reduce((sum, path) => sum + readFileSync(path, 'utf8').split('\n').length, 0)
  expect(lines).toBeGreaterThan(0)
  expect(lines).toBeLessThanOrEqual(MAX.lines)
  expect(Number(/^Instantiations: +(\d+)$/m.exec(stdout)?.[1])).toBeLessThanOrEqual(MAX.instantiations)
})
