import { appendFileSync, existsSync, linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene } from './program.ts'

const tokens: readonly string[] = Object.values(fakeTokens)
const { BOLT } = fakeTokens
const LOCKS = 2_000

test('a sweep ends before --max-credits, and goes on with its journal without buying anything twice', async () => {
  const { run, json, fake, folder, write } = await createScene()
  write('tokens.txt', `# mine\n${tokens.slice(0, 5).join('\n')}\n${tokens[0]}\n`)
  const sweep = ['sweep', 'locks', 'tokens.txt', '--resume', 'locks.jsonl']
  const first = await run([...sweep, '--max-credits', '7000'])
  expect(first).toEqual({
    code: 1,
    stdout:
      '3 of 5 done, 0 failed, 6,000 credits.\n2 left. To go on: raise --max-credits 7,000, and run it again with --resume locks.jsonl\n',
    stderr: expect.stringMatching(
      /^5 locks\.get: 10,000 credits \(\$0\.01\), journal locks\.jsonl\.\nCharged: 6,000 credits/,
    ),
  })
  const journal = join(folder, 'locks.jsonl')
  appendFileSync(journal, 'something else\n{"torn": "li')
  const second = await json(sweep)
  expect(second).toMatchObject({
    code: 0,
    data: { operation: 'locks.get', total: 5, done: 5, failed: 0, stored: 3, credits: 4_000, remaining: [] },
  })
  const { results } = second.data as { results: { params: { address: string }; data: unknown[] }[] }
  expect(results.map(({ params }) => params.address).sort()).toEqual(tokens.slice(0, 5).sort())
  expect((await json(sweep)).data).toMatchObject({ stored: 5, credits: 0 })
  expect(fake.charged()).toBe(5 * LOCKS)
  const answers = readFileSync(journal, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"answer"'))
  expect(JSON.parse(answers[0] ?? '')).toEqual({
    key: expect.any(String),
    at: expect.any(String),
    answer: { data: expect.any(Array) },
  })
})

test('a journal has a default name, a failure is exit code 1, and only it is bought again', async () => {
  const { run, fake, folder } = await createScene()
  fake.fault({ operation: 'nft.collection', status: 404, times: 1 })
  const { data } = (await (
    await fake.fetch(`${fake.baseUrl}/nft/collections/52014?limit=3`, {
      headers: { authorization: `Bearer ${fake.key}` },
    })
  ).json()) as { data: { address: string }[] }
  const addresses = data.map(({ address }) => address)
  const { code, stdout } = await run(['sweep', 'nft-collections', ...addresses])
  const [journal = ''] = readdirSync(folder).filter((name) => /^sweep-nft-collections-[\dTZ-]+\.jsonl$/.test(name))
  expect(code).toBe(1)
  expect(stdout).toMatch(/^0x\w{40}: nft\.collection: the service answered 404/)
  expect(stdout).toContain('2 of 3 done, 1 failed, 1,000 credits.')
  expect(stdout).toContain(`--resume ${journal}`)
  const again = await run(['sweep', 'nft-collections', ...addresses, '--resume', journal])
  expect([again.code, again.stdout]).toEqual([0, '3 of 3 done (2 from the journal), 0 failed, 500 credits.\n'])
})

test('--max-credits is of all runs on the journal, --max-credits-per-run of one', async () => {
  const { run, json, fake } = await createScene()
  const sweep = ['sweep', 'locks', ...tokens.slice(0, 5), '--resume', 'locks.jsonl']
  const total = ['--max-credits', '7000']
  const perRun = ['--max-credits-per-run', '3000']
  expect(await json([...sweep, ...total, ...perRun])).toMatchObject({ code: 1, data: { done: 1, credits: 2_000 } })
  const second = await run([...sweep, ...total, ...perRun])
  expect(second.stdout).toContain('2 of 5 done (1 from the journal), 0 failed, 2,000 credits.')
  expect(second.stdout).toContain('3 left. To go on: run it again with --resume locks.jsonl')
  expect((await json([...sweep, ...total])).data).toMatchObject({ stored: 2, credits: 2_000 })
  const refused = await run([...sweep, ...total])
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(
      'it may cost 2,000 credits, more than --max-credits 7,000 allows beside the 6,000 of earlier runs on this journal. Nothing was sent.',
    ),
  ])
  expect(fake.charged()).toBe(3 * LOCKS)
  const { stdout: help } = await run(['sweep', '--help'])
  expect(help.replace(/\s+/g, ' ')).toMatch(
    /--max-credits <n> the most that all runs on the journal may be charged together/,
  )
  expect(help).toMatch(/--max-credits-per-run <n> +the most that this run may be charged/)
})

test.each([
  [401, 'unauthorized', 'Check ETN_MARKET_API_KEY, or the file that --key-file names.'],
  [402, 'insufficient_credits', 'add credits to the key. What is left costs up to 16,000 credits ($0.016).'],
  [403, 'forbidden', 'The key has no permission for this: use another key.'],
])('a sweep ends at %i and says what to do', async (status, code, advice) => {
  const { run, json, fake } = await createScene()
  const sweep = ['sweep', 'locks', ...tokens, '--resume', 'locks.jsonl', '--yes']
  const nth = Array.from({ length: 20 }, (_, index) => index + 3)
  fake.fault({ operation: 'locks.get', status, nth })
  const { code: exitCode, stdout } = await run(sweep)
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^2 of 10 done, [12] failed, 4,000 credits\.\nEnded early\. /)
  expect(stdout).toContain(advice)
  expect(stdout).toMatch(/\n8 left\. After that: run it again with --resume locks\.jsonl\n$/)
  expect(fake.journal().length).toBeLessThanOrEqual(4)
  fake.fault({ operation: 'locks.get', status, times: 9 })
  expect((await json(sweep)).data).toMatchObject({ done: 2, stored: 2, ended: { code, message: expect.any(String) } })
})

test.each([
  ['a symbolic link', (file: string, link: string) => symlinkSync(file, link)],
  ['a hard link', linkSync],
])('a second sweep at once through %s to a journal buys nothing', async (_, makeLink) => {
  const { run, fake, folder, write } = await createScene()
  makeLink(write('locks.jsonl', ''), join(folder, 'link.jsonl'))
  const sweep = (journal: string) => run(['sweep', 'locks', ...tokens.slice(0, 3), '--resume', journal])
  const [first, second] = await Promise.all([sweep('locks.jsonl'), sweep('link.jsonl')])
  expect([first, second].map(({ code }) => code).sort()).toEqual([0, 1])
  expect(first.stderr + second.stderr).toMatch(/journal \w+\.jsonl: another sweep is using it\. Nothing was sent\./)
  expect(fake.charged()).toBe(3 * LOCKS)
  expect((await sweep('link.jsonl')).stdout).toContain('3 of 3 done (3 from the journal)')
})

test('a journal that a symbolic link without a target names is begun', async () => {
  const { run, folder } = await createScene()
  symlinkSync('later.jsonl', join(folder, 'link.jsonl'))
  expect((await run(['sweep', 'locks', BOLT, '--resume', 'link.jsonl'])).code).toBe(0)
  expect(readFileSync(join(folder, 'later.jsonl'), 'utf8')).toContain('"answer"')
})

test.each(
  [
    ['.', 'it is a folder.'],
    ['/dev/full', 'it is a device or a pipe. Name a file.'],
    ['/dev/null', 'it is a device or a pipe. Name a file.'],
    ['tokens.txt', 'it is no journal.'],
  ].filter(([path = '']) => !path.startsWith('/') || existsSync(path)),
)('a journal at %s is refused before anything is sent, and stays as it is', async (path = '', message) => {
  const { run, fake, write } = await createScene()
  const list = write('tokens.txt', `${BOLT}\n`)
  const { code, stderr } = await run(['sweep', 'locks', 'tokens.txt', '--resume', path])
  expect([code, stderr]).toEqual([2, `error: journal ${path}: ${message}\n`])
  expect([readFileSync(list, 'utf8'), fake.journal()]).toEqual([`${BOLT}\n`, []])
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

test('a journal of which a crash left half of the first line goes on', async () => {
  const { run, write } = await createScene()
  const path = write('locks.jsonl', '{"key":"etn-market:sw')
  const { code, stdout } = await run(['sweep', 'locks', BOLT, '--resume', 'locks.jsonl'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 done, 0 failed')])
  expect(readFileSync(path, 'utf8')).toMatch(/^\{"key":"etn-market:sw\n\{"key":/)
})
