import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { PROGRAM } from '../cli/program.ts'
import { codeBlocks, ROOT } from '../package/code-blocks.ts'
import { run } from '../support/child.ts'
import { hasPython } from '../support/python.ts'

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

// `test/examples/guides.test.ts` compiles the blocks, and checks the links.
describe('the guide of the fake', () => {
  for (const [i, { line, code }] of blocks.entries()) {
    if (kindOf(code) === undefined) it(`runs: line ${line}`, () => import(files[i] ?? ''))
    if (kindOf(code) === 'node:test')
      it(`runs with node:test: line ${line}`, { timeout: 60_000 }, async () => {
        const { NODE_OPTIONS: _, ...env } = process.env
        const args = ['--import', 'tsx', '--test', '--test-reporter', 'tap', files[i] ?? '']
        const { stdout } = await run(process.execPath, args, { cwd: ROOT, env })
        expect(stdout).toMatch(/^# pass 1$/m)
        expect(stdout).toMatch(/^# fail 0$/m)
      })
  }

  it.runIf(hasPython)('has a program in Python that runs', { timeout: 60_000 }, async () => {
    const [{ code } = { code: '' }] = codeBlocks(guide, 'python')
    const command = [process.execPath, PROGRAM, 'fake'].join(' ')
    const env = { ...process.env, ETN_MARKET_FAKE: command }
    const { stdout, stderr } = await run('python3', ['-c', code], { cwd: ROOT, env })
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
