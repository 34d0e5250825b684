import { fakeOperations, fakeWallets } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene, listKnownTokens } from './program.ts'

// The others are run by `processes`, `terminal`, `full-disk` and `fake`.
test.each([
  [['plan', 'credits.yaml'], /\nThe balance lasts \d+\.\d days at least\.\n/],
  [['portfolio', fakeWallets.empty], /^Total: 0 USD, 0 ETN\.\n/],
  [['completion', 'bash'], /\ncomplete -o default -F _etn_market etn-market\n$/],
  [['--help'], /^Usage: etn-market /],
])('the built program runs %j', async (args, printed) => {
  const { runProcess, write } = await createScene()
  write('credits.yaml', 'balance: 100000\nlines:\n  - { operation: etn.price, every: 1m }\n')
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
