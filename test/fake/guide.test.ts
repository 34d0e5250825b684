import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { PROGRAM } from '../cli/program.ts'
import { codeBlocks, ROOT } from '../package/code-blocks.ts'
import { run } from '../support/child.ts'
import { compilePrograms } from '../support/compile-programs.ts'
import { runPython } from '../support/python.ts'

const guide = readFileSync(join(ROOT, 'src/fake/GUIDE.md'), 'utf8')
const blocks = codeBlocks(guide, 'ts')

mkdirSync(join(ROOT, 'coverage'), { recursive: true })
const folder = mkdtempSync(join(ROOT, 'coverage/guide-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const files = blocks.map(({ line, code }) => {
  const file = join(folder, `guide-line-${line}.ts`)
  writeFileSync(file, `${code}\nexport {}\n`)
  return file
})
const kindOf = (code: string) => /from '(etn-market\/vitest|node:test)'/.exec(code)?.[1]

const ofNodeTest = [
  join(ROOT, 'examples/testing/node-test.ts'),
  ...files.filter((_, i) => kindOf(blocks[i]?.code ?? '') === 'node:test'),
]
const nodeTests = join(folder, 'node-tests.ts')
writeFileSync(
  nodeTests,
  `import { test } from 'node:test'
   import { useFakeService } from 'etn-market/fake'
   ${ofNodeTest.map((file) => `await import('${file}')`).join('\n')}
   test('fails', async (t) => {
     const fake = await useFakeService(t)
     fake.fault({ status: 500 })
   })`,
)
const [NODE_TESTS = ''] = await compilePrograms(nodeTests)

// `test/examples/guides.test.ts` compiles the blocks, and checks the links.
describe('the guide of the fake', () => {
  for (const [i, { line, code }] of blocks.entries()) {
    if (kindOf(code) === undefined) it(`runs: line ${line}`, () => import(files[i] ?? ''))
  }

  it('runs with node:test, as the example does; a fault that is never used up fails its test', async () => {
    const { NODE_OPTIONS: _, ...env } = process.env
    const { stdout } = await run(process.execPath, ['--test-reporter', 'tap', NODE_TESTS], { cwd: ROOT, env })
    expect(stdout.match(/^ok \d/gm)).toHaveLength(ofNodeTest.length)
    expect(stdout).toMatch(/^not ok \d - fails/m)
    expect(stdout).toContain('1 fault was never used up')
  })

  it('has a program in Python that runs', async (context) => {
    const [{ code } = { code: '' }] = codeBlocks(guide, 'python')
    const command = [process.execPath, PROGRAM, 'fake'].join(' ')
    const env = { ...process.env, ETN_MARKET_FAKE: command }
    const { stdout, stderr } = await runPython(context, ['-c', code], { cwd: ROOT, env })
    expect(stdout + stderr).toBe('')
  })

  it('names every control route', async () => {
    const { createFakeService } = await import('etn-market/fake')
    await using fake = createFakeService()
    const { url } = await fake.listen()
    const { paths } = await (await fetch(new URL('/_fake/openapi.json', url))).json()
    const chapter = guide.slice(guide.indexOf('### The control routes'))
    expect(Object.keys(paths).filter((path) => !chapter.includes(path.slice('/_fake/'.length)))).toEqual([])
  })
})

// A block with the `test` of `etn-market/vitest` registers tests of its own.
for (const [i, { code }] of blocks.entries()) if (kindOf(code) === 'etn-market/vitest') await import(files[i] ?? '')
