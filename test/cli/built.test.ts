import { fakeOperations, fakeTokens, fakeWallets } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene, listKnownTokens } from './program.ts'

const { BOLT } = fakeTokens

// The others are run by `processes`, `terminal` and `fake`.
test.each([
  [['plan', 'credits.yaml'], /\nThe balance lasts \d+\.\d days at least\.\n/],
  [['portfolio', fakeWallets.empty], /^Total: 0 USD, 0 ETN\.\n/],
  [['candles', BOLT, 'tokens.txt', '--sync', 'folder'], /2 of 2 tokens done, 0 failed\.\n$/],
  [['completion', 'bash'], /\ncomplete -o default -F _etn_market etn-market\n$/],
  [['--help'], /^Usage: etn-market /],
])('the built program runs %j', async (args, printed) => {
  const { runProcess, write } = await createScene()
  write('tokens.txt', `${fakeTokens.CORE}\n`)
  write('credits.yaml', 'balance: 100000\ncalls:\n  - { operation: etn.price, every: 1m }\n')
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
