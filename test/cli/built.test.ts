import { spawn } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fakeOperations, fakeTokens, fakeWallets } from 'etn-market/fake'
import { expect, onTestFinished, test } from 'vitest'
import { packed } from '../package/pack.ts'
import { follow } from '../support/child.ts'
import { createScene, listKnownTokens, PROGRAM } from './program.ts'

const { BOLT } = fakeTokens

test.each([
  [['cost', 'token.list', '--limit', '5'], 'token.list: 100 to 125 credits ($0.0001 to $0.000125), 1 request.\n'],
  [['call', 'etn.price'], /^usd: 0\.\d+\n$/],
  [['plan', 'credits.yaml'], /\nThe balance lasts \d+\.\d days at least\.\n/],
  [['prices', BOLT, 'tokens.txt'], /^symbol +address .*\nBOLT .*\nCORE .*\n$/],
  [['candles', BOLT, '--csv'], /^time,open,high,low,close,volume,count\n/],
  [['candles', BOLT, '--sync', 'bolt.csv'], 'bolt.csv: 100 added, 0 updated, 100 candles.\n'],
  [['candles', BOLT, '--sync', 'bolt.sqlite'], 'bolt.sqlite: 100 added, 0 updated, 100 candles.\n'],
  [['sweep', 'locks', 'tokens.txt'], '1 of 1 done, 0 failed, 2,000 credits.\n'],
  [['portfolio', fakeWallets.empty], /^Total: 0 USD, 0 ETN\.\n/],
  [['account', '--key-file', 'key'], 'Credits: 10,000,000 ($10.00)\nTier: standard\n'],
  [['candles', BOLT, 'tokens.txt', '--sync', 'folder'], /2 of 2 tokens done, 0 failed\.\n$/],
  [['demo'], /Alert: BOLT is below 0\.04 USD: 0\.0396\n[\s\S]*The service charged +2,050 credits\.\n/],
  [['completion', 'bash'], /\ncomplete -o default -F _etn_market etn-market\n$/],
  [['--help'], /^Usage: etn-market /],
])('the built program runs %j', async (args, printed) => {
  const { runProcess, env, write } = await createScene()
  write('tokens.txt', `${fakeTokens.CORE}\n`)
  write('credits.yaml', 'balance: 100000\ncalls:\n  - { operation: etn.price, every: 1m }\n')
  write('key', env.ETN_MARKET_API_KEY ?? '')
  const { code, stdout, stderr } = await runProcess(args)
  expect(stdout, stderr).toMatch(printed)
  expect(code).toBe(0)
})

test('the built program verifies a service', async () => {
  const { runProcess, fake } = await createScene()
  listKnownTokens(fake)
  const { code, stdout } = await runProcess(['verify'])
  expect([code, stdout.match(/^ok {2}/gm)?.length]).toEqual([0, fakeOperations.length])
})

test('the built program serves the fake', async () => {
  const child = follow(spawn(process.execPath, [PROGRAM, 'fake', '--port', '0']))
  onTestFinished(() => void child.process.kill('SIGKILL'))
  await expect.poll(child.printed).toMatch(/^Listening on \S+\nKey: \S+\n$/)
  const [, url = '', key = ''] = /on (\S+)\nKey: (\S+)/.exec(child.printed()) ?? []
  const headers = { authorization: `Bearer ${key}` }
  expect((await fetch(`${url}/prices/etn`, { headers })).status).toBe(200)
  child.process.kill('SIGTERM')
  expect(await child.ended()).toMatchObject({ code: 0 })
})

test('the packed program runs in another folder and calls a service', async () => {
  const { runProcess, fake } = await createScene()
  const program = join(packed.project, 'node_modules/etn-market/dist/cli.js')
  const { code, stdout } = await runProcess(['call', 'etn.price', '--json'], { program })
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ['usd']])
  expect(fake.charged()).toBe(25)
  expect((await runProcess(['--version'], { program })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

const hasSqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') !== undefined

test.runIf(!hasSqlite)('without SQLite the program says how to install it, and sends nothing', async () => {
  const { runProcess, fake, folder } = await createScene()
  const modules = join(folder, 'node_modules')
  cpSync(join(packed.project, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true })
  rmSync(join(modules, 'node-sqlite3-wasm'))
  const program = join(modules, 'etn-market/dist/cli.js')
  const { code, stderr } = await runProcess(['candles', BOLT, '--sync', 'bolt.sqlite'], { program })
  expect([code, stderr]).toEqual([2, expect.stringContaining('`npm install node-sqlite3-wasm`, use Node 22.13')])
  expect(fake.journal()).toEqual([])
})
