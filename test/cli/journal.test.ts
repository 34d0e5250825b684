import { existsSync, linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { createScene } from './program.ts'

const tokens: readonly string[] = Object.values(fakeTokens)
const LOCKS = 2_000

describe('a journal is one file, however it is named', () => {
  test.each([
    ['a symbolic link', (file: string, link: string) => symlinkSync(file, link)],
    ['a hard link', linkSync],
  ])('a second sweep through %s buys nothing', async (_, makeLink) => {
    const { run, fake, folder, write } = await createScene()
    makeLink(write('locks.jsonl', ''), join(folder, 'link.jsonl'))
    const sweep = (journal: string) => run(['sweep', 'locks', ...tokens.slice(0, 3), '--resume', journal])
    const [first, second] = await Promise.all([sweep('locks.jsonl'), sweep('link.jsonl')])
    expect([first, second].map(({ code }) => code).sort()).toEqual([0, 1])
    expect(first.stderr + second.stderr).toMatch(/journal \w+\.jsonl: another sweep is using it\. Nothing was sent\./)
    expect(fake.charged()).toBe(3 * LOCKS)
    expect((await sweep('link.jsonl')).stdout).toContain('3 of 3 done (3 from the journal)')
  })

  test('one that a symbolic link without a target names is begun', async () => {
    const { run, folder } = await createScene()
    symlinkSync('later.jsonl', join(folder, 'link.jsonl'))
    const { code } = await run(['sweep', 'locks', tokens[0] ?? '', '--resume', 'link.jsonl'])
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'later.jsonl'), 'utf8')).toContain('"answer"')
  })
})

test.each(
  [
    ['.', 'it is a folder.'],
    ['/dev/full', 'it is a device or a pipe. Name a file.'],
    ['/dev/null', 'it is a device or a pipe. Name a file.'],
  ].filter(([path = '']) => existsSync(path)),
)('a journal at %s is refused before anything is sent', async (path, message) => {
  const { run, fake } = await createScene()
  const { code, stderr } = await run(['sweep', 'locks', tokens[0] ?? '', '--resume', path ?? ''])
  expect([code, stderr]).toEqual([2, `error: journal ${path}: ${message}\n`])
  expect(fake.journal()).toEqual([])
})

test('a journal that an editor saved with a byte order mark and CRLF has its answers', async () => {
  const { run, fake, folder } = await createScene()
  const sweep = ['sweep', 'locks', ...tokens.slice(0, 2), '--resume', 'locks.jsonl']
  await run(sweep)
  const path = join(folder, 'locks.jsonl')
  writeFileSync(path, `\ufeff${readFileSync(path, 'utf8').replaceAll('\n', '\r\n')}`)
  expect((await run(sweep)).stdout).toContain('2 of 2 done (2 from the journal)')
  expect(fake.charged()).toBe(2 * LOCKS)
})

test('a file of another kind is refused as a journal, and stays as it is', async () => {
  const { run, fake, write } = await createScene()
  const path = write('tokens.txt', `${tokens[0]}\n`)
  const { code, stderr } = await run(['sweep', 'locks', 'tokens.txt', '--resume', 'tokens.txt'])
  expect([code, stderr]).toEqual([2, 'error: journal tokens.txt: it is no journal.\n'])
  expect([readFileSync(path, 'utf8'), fake.journal()]).toEqual([`${tokens[0]}\n`, []])
})

test('a journal of which a crash left half of the first line goes on', async () => {
  const { run, write, folder } = await createScene()
  write('locks.jsonl', '{"key":"etn-market:sw')
  const { code, stdout } = await run(['sweep', 'locks', tokens[0] ?? '', '--resume', 'locks.jsonl'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 done, 0 failed')])
  expect(readFileSync(join(folder, 'locks.jsonl'), 'utf8')).toMatch(/^\{"key":"etn-market:sw\n\{"key":/)
})
