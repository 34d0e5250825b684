import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene } from './program.ts'

const { BOLT, CORE } = fakeTokens

test('buys prices in the cheapest requests, and symbols once a week', async () => {
  const { run, json, fake } = await createScene()
  const { code, stdout, stderr } = await run(['prices', BOLT, CORE])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^symbol +address +USD +ETN +age\nBOLT +0x043f\S+ +0\.\d+ +\d+\.\d+ +\d s\nCORE .*\n$/)
  expect(stderr).toMatch(
    /^prices of 2 tokens: 200 to 700 credits .* of it once a week for symbols\.\nCharged: \d+ credits/,
  )
  const { data } = await json(['prices', '-'], { input: `${BOLT}\n` })
  expect(data).toEqual([
    {
      address: BOLT,
      symbol: 'BOLT',
      usd: expect.stringMatching(/^0\.\d{20,}$/),
      etn: expect.any(String),
      changePercent: null,
      at: expect.any(Number),
      stale: false,
    },
  ])
  expect(fake.journal().map(({ operation }) => operation)).toEqual([
    'token.list',
    'token.price',
    'token.price',
    'token.price',
  ])
})

test('--watch --json prints a price a line, and ends with 1 at --max-credits', async () => {
  const { run, fake } = await createScene()
  const args = ['prices', BOLT, '--watch', '1s', '--no-symbols', '--json', '--max-credits', '100']
  const { code, stdout } = await run(args)
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(code).toBe(1)
  expect(lines.slice(0, 2)).toEqual([
    expect.objectContaining({ address: BOLT, symbol: null, changePercent: null }),
    expect.objectContaining({ address: BOLT, changePercent: expect.any(Number) }),
  ])
  expect(lines.at(-1)).toMatchObject({ error: { code: 'budget_exceeded' } })
  expect(fake.charged()).toBe(100)
})
