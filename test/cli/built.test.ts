import { spawn } from 'node:child_process'
import { fakeOperations, fakeTokens, fakeWallets } from 'etn-market/fake'
import { expect, onTestFinished, test } from 'vitest'
import { follow } from '../support/child.ts'
import { createScene, listKnownTokens, PROGRAM } from './program.ts'

const { BOLT } = fakeTokens

// Others: calls, sweeps, prices and candles are run by `processes`, `terminal` and `full-disk`.
test.each([
  [['cost', 'token.list', '--limit', '5'], 'token.list: 100 to 125 credits ($0.0001 to $0.000125), 1 request.\n'],
  [['plan', 'credits.yaml'], /\nThe balance lasts \d+\.\d days at least\.\n/],
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
