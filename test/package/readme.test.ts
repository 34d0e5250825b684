import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFakeService } from 'etn-market/fake'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anchorOf, codeBlocks, compile, ROOT } from './code-blocks.ts'

const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { repository: { url: string } }
const REPOSITORY = repository.url.replace(/^git\+|\.git$/g, '')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const lines = readme.split('\n')

/** Every block of TypeScript, as a module. */
const blocks = codeBlocks(readme, 'ts')

let folder: string
const fileOf = (line: number) => join(folder, `readme-line-${line}.mts`)
beforeAll(() => {
  mkdirSync(join(ROOT, 'coverage'), { recursive: true })
  folder = mkdtempSync(join(ROOT, 'coverage/readme-'))
  for (const { line, code } of blocks) writeFileSync(fileOf(line), `${code}\nexport {}\n`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the README has at most 120 lines, and no paragraph with more than four sentences', () => {
  expect(lines.length).toBeLessThanOrEqual(120)
  const paragraphs = readme.replace(/^```.*?^```$/gms, '').split(/\n\n+/)
  const prose = paragraphs.filter((text) => /^[A-Z`]/.test(text))
  expect(prose.filter((text) => (text.match(/\.(\s|$)/g) ?? []).length > 4)).toEqual([])
})

describe('the blocks of code', () => {
  test('compile, imports included, with the published declarations', () => {
    const paths = { 'etn-market': [join(ROOT, 'dist/index.d.ts')], 'etn-market/*': [join(ROOT, 'dist/*.d.ts')] }
    const { status, stdout } = compile(folder, { paths })
    expect(blocks.length).toBeGreaterThan(0)
    expect({ status, errors: stdout.trim() }).toEqual({ status: 0, errors: '' })
  }, 120_000)

  test('run against the fake service', { timeout: 120_000 }, async () => {
    await using fake = createFakeService()
    const { url } = await fake.listen({ port: 0 })
    const runner = join(folder, 'run.mts')
    writeFileSync(runner, blocks.map(({ line }) => `await import('./readme-line-${line}.mts')`).join('\n'))
    const { code, output } = await run(runner, { ETN_MARKET_BASE_URL: url, ETN_MARKET_API_KEY: fake.key })
    expect(code, output).toBe(0)
    expect(fake.ledger().map(({ operation }) => operation)).toEqual(['token.price', 'token.list'])
  })
})

test('links and pictures are absolute, and lead to files and headings that exist', () => {
  const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, target = '']) => target)
  const files = [...targets, ...pictures].filter(
    (target) => target.startsWith(`${REPOSITORY}/`) && !/actions/.test(target),
  )
  const broken = files.filter((target) => {
    const [, kind, path = '', anchor] =
      /^\/(blob|tree|raw)\/main\/([^#]+)#?(.*)$/.exec(target.slice(REPOSITORY.length)) ?? []
    const file = join(ROOT, path)
    if (!existsSync(file) || statSync(file).isDirectory() !== (kind === 'tree')) return true
    return Boolean(anchor) && !headingsOf(readFileSync(file, 'utf8')).includes(anchor ?? '')
  })
  expect(files.length).toBeGreaterThan(20)
  expect(broken).toEqual([])
  expect(targets.filter((target) => target.startsWith('#') && !headingsOf(readme).includes(target.slice(1)))).toEqual(
    [],
  )
  // The page of the registry resolves nothing.
  expect([...targets, ...pictures].filter((target) => !/^(https:|#)/.test(target))).toEqual([])
})

const headingsOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .map((line) => anchorOf(line.replace(/^#+ /, '')))

/** Runs a script; the fake service answers it from this process, so that waiting must not block. */
function run(script: string, env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', script], { cwd: ROOT, env: { ...process.env, ...env } })
    let output = ''
    const collect = (text: Buffer) => {
      output += text
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('close', (code) => resolve({ code, output }))
  })
}
