import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { createScene, KEY } from './program.ts'

const { BOLT: first, USDC: second } = fakeTokens

/** Addresses of tokens that there may not be, one a line. */
const listOf = (length: number) =>
  Array.from({ length }, (_, index) => `0x${String(index).padStart(40, '0')}`).join('\n')
const BATCH = ['prices.batch', '--addresses', '-']

test('`cost` prints what a call costs without a key and without a request', async () => {
  const { run, json, fake } = await createScene()
  const env = { ETN_MARKET_API_KEY: '' }
  const stdout = 'token.list: 100 to 125 credits ($0.0001 to $0.000125), 1 request.\n'
  expect(await run(['cost', 'token.list', '--limit', '5'], { env })).toEqual({ code: 0, stdout, stderr: '' })
  const data = { operation: 'prices.batch', min: 710, max: 710, requests: 2, usd: 0.00071 }
  expect(await json(['cost', ...BATCH], { env, input: listOf(51) })).toEqual({ code: 0, data })
  expect(fake.journal()).toEqual([])
})

describe('call', () => {
  test('prints the data alone with --json, and what was predicted and charged on standard error', async () => {
    const { run, fake } = await createScene()
    const list = [first, second].map((address) => ({ address, name: 'N', symbol: 'S', decimals: 18, totalSupply: 5 }))
    fake.stub('token.list', () => list)
    const { code, stdout, stderr } = await run(['call', 'token.list', '--limit', '2', '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([0, list])
    expect(stderr).toBe(
      'token.list: 100 to 110 credits ($0.0001 to $0.00011), 1 request.\nCharged: 110 credits ($0.00011). 9,999,890 left.\n',
    )
  })

  test('prints a list as a table, and no control characters of the service', async () => {
    const { run, fake } = await createScene()
    fake.stub('token.list', () => [
      { address: first, name: 'A\u001b[31m\u009b2J\u202e\nB', symbol: '漢字', decimals: 18, totalSupply: 5 },
      { address: second, name: 'C', symbol: 'S', decimals: 6, totalSupply: 1_000 },
    ])
    const { stdout } = await run(['call', 'token.list'], { columns: 200, env: { NO_COLOR: '1' } })
    expect(stdout.split('\n').map((line) => line.slice(44))).toEqual([
      'name       symbol  decimals  totalSupply',
      'A[31m2J B  漢字          18            5',
      'C          S              6         1000',
      '',
    ])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    const { stdout: asJson } = await run(['call', 'token.list', '--json'])
    expect(asJson).toContain('\\u009b2J\\u202e')
  })

  test('prints JSON where standard output is no terminal, so that another program can read it', async () => {
    const { run, json, fake } = await createScene()
    const addresses = `${first},${listOf(1)}`
    for (const args of [
      ['token.price', '--address', first],
      ['token.list', '--limit', '3'],
      ['prices.batch', '--addresses', addresses],
      ['locks.get', '--address', second],
      ['account.me'],
    ]) {
      fake.reset()
      const { stdout } = await run(['call', ...args])
      fake.reset()
      expect(JSON.parse(stdout)).toEqual((await json(['call', ...args])).data)
    }
    // On a terminal only a list is a table.
    const shown = await run(['call', 'token.price', '--address', first], { columns: 80 })
    expect(JSON.parse(shown.stdout)).toMatchObject({ usd: expect.any(String) })
  })

  test('takes the parameters of each operation, `--version` too', async () => {
    const { json, fake } = await createScene()
    const { data } = await json(['call', 'pool.list', '--version', '3', '--limit', '1'])
    expect(data).toEqual([expect.objectContaining({ version: 3 })])
    await json(['call', 'prices.batch', '--addresses', '-'], { input: `${first}\n# a comment\n${second}\n` })
    expect(fake.charged()).toBe(205 + 120)
  })
})

test('prices of a batch that failed in part are not lost', async () => {
  const { run, json, fake } = await createScene()
  const input = `${first}\n${listOf(50)}`
  const when = ({ query }: { query: Record<string, string> }) => !query.addresses?.includes(first.toLowerCase())
  fake.fault({ operation: 'prices.batch', when, status: 500, retryAfter: 3_600, times: 2 })
  const { code, stdout } = await run(['call', ...BATCH], { input })
  expect([code, stdout]).toEqual([3, expect.stringContaining(first)])
  expect(await json(['call', ...BATCH], { input })).toMatchObject({
    code: 3,
    data: { error: { missing: expect.any(Array), prices: { [first]: { usd: expect.any(String) } } } },
  })
})

test('`account` prints balance and tier for free', async () => {
  const { run, json, fake } = await createScene()
  expect((await run(['account'])).stdout).toBe('Credits: 10,000,000 ($10.00)\nTier: standard\n')
  expect((await json(['account'])).data).toEqual({ credits: 10_000_000, usd: 10, tier: 'standard' })
  expect(fake.charged()).toBe(0)
})

test('the key comes from --key-file, bare or as a variable, before the environment', async () => {
  const { run, write, fake } = await createScene()
  fake.addKeys({ esk_live_other: 1_000 })
  for (const text of ['esk_live_other\n', "# mine\nETN_MARKET_API_KEY='esk_live_other'\n"])
    expect((await run(['call', 'etn.price', '--key-file', write('key', text)])).code).toBe(0)
  expect(fake.remaining('esk_live_other')).toBe(950)
  const { code, stderr } = await run(['account', '--key-file', write('key', 'two words')])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^error: --key-file .*: it must hold the key alone, or a line/)
})

test('nothing is sent above --max-credits, nor above 10,000 credits without --yes or a terminal', async () => {
  const { run, fake } = await createScene()
  const refused = await run(['call', 'farm.list', '--max-credits', '2999'])
  expect([refused.code, refused.stderr.split('\n')[1]]).toEqual([
    1,
    'error: farm.list: it may cost 3,000 credits, more than --max-credits 2,999 allows. Nothing was sent.',
  ])
  const input = listOf(1_000)
  const unasked = await run(['call', ...BATCH], { input })
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('add --yes')])
  expect(fake.journal()).toEqual([])
  expect((await run(['call', ...BATCH, '--yes'], { input })).code).toBe(0)
  expect(fake.charged()).toBe(12_000)
})

test('files in UTF-16, as PowerShell writes them, and with a byte order mark are read', async () => {
  const { run, folder } = await createScene()
  for (const [name, text] of [
    ['utf16.txt', Buffer.from(`\ufeff${first}\r\n${second}\r\n`, 'utf16le')],
    ['utf8.txt', Buffer.from(`\ufeff${first}\r\n${second}\r\n`)],
  ] as const) {
    writeFileSync(join(folder, name), text)
    const { stdout } = await run(['prices', name, '--no-symbols'])
    expect(stdout.trimEnd().split('\n')).toHaveLength(3)
  }
  writeFileSync(join(folder, 'utf16.key'), Buffer.from(`\ufeff${KEY}\r\n`, 'utf16le'))
  expect((await run(['account', '--key-file', 'utf16.key'], { env: { ETN_MARKET_API_KEY: '' } })).code).toBe(0)
})
