import { type CreditPlan, planCredits } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene } from './program.ts'

const YAML = `creditsPerDay: 50000
balance: 1000000
calls:
  - operation: token.price
    params: { address: ${fakeTokens.BOLT} }
    every: 5m
  - { operation: token.price, params: { address: ${fakeTokens.CORE} }, every: 5m }
  - { operation: token.price, params: { address: ${fakeTokens.DYNO} }, every: 5m }
  - { operation: locks.get, params: { address: ${fakeTokens.BOLT} }, everyMs: 86400000, activeHours: 12 }
`

test('a plan in YAML, with addresses without quotes, and in JSON is the plan of the library', async () => {
  const { run, json, write, fake } = await createScene()
  const file = write('credits.yaml', YAML)
  const calls = [fakeTokens.BOLT, fakeTokens.CORE, fakeTokens.DYNO].map(
    (address) => ({ operation: 'token.price', params: { address }, every: '5m' }) as const,
  )
  const locks = {
    operation: 'locks.get',
    params: { address: fakeTokens.BOLT },
    everyMs: 86_400_000,
    activeHours: 12,
  } as const
  const expected: CreditPlan = planCredits([...calls, locks], { creditsPerDay: 50_000, credits: 1_000_000 })
  const plan = { limit: 50_000, withinLimit: true, ...expected }
  expect(await json(['plan', file])).toEqual({ code: 0, data: plan })
  expect(
    await json([
      'plan',
      write('plan.json', JSON.stringify([...calls, locks])),
      '--daily-limit',
      '50000',
      '--balance',
      '1000000',
    ]),
  ).toEqual({
    code: 0,
    data: plan,
  })
  const { stdout } = await run(['plan', file])
  expect(stdout).toContain('token.price     5m     24      50         14,400')
  expect(stdout).toContain('The balance lasts 22.6 days at least.')
  expect(stdout).toContain('Within the limit of 50,000 credits a day.')
  expect(stdout).toContain(`- ${expected.advice[0]?.message}`)
  expect(fake.journal()).toEqual([])
})

test('a plan above its limit exits with 1 and prints what fits', async () => {
  const { run, json, write } = await createScene()
  const file = write('credits.yaml', YAML)
  const { code, stdout } = await run(['plan', file, '--daily-limit', '20000'])
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('Over the limit of 20,000 credits a day: it fits with intervals 2.21 times as long.'),
  ])
  expect(await json(['plan', file, '--daily-limit', '20000'])).toMatchObject({
    code: 1,
    data: { withinLimit: false, limit: 20_000 },
  })
})

test('account prints how long the balance lasts', async () => {
  const { run, write } = await createScene()
  const { stdout } = await run(['account', '--plan', write('credits.yaml', YAML)])
  expect(stdout).toContain('The balance lasts 226.2 days at least.')
})

test.each([
  [
    'calls:\n  - { operation: etn.price, every: 1m }\n  - operation: token.price\n    every: 1m\n',
    /^\S+:3: calls\[1\]: token\.price: invalid address: it is missing/,
  ],
  [
    'calls:\n  - { operation: etn.price, every: 5 }\n',
    /^\S+:2: calls\[0\]: Invalid calls\[0\]\.every: 5\. It must be a duration such as/,
  ],
  [
    '- { operation: etn.prise, every: 5m }\n',
    /^\S+:1: calls\[0\]: unknown operation "etn\.prise"\. Did you mean etn\.price\?/,
  ],
  ['- { operation: etn.price, evry: 5m }\n', /^\S+:1: calls\[0\]: unknown field "evry"\. Did you mean every\?/],
  ['{ calls: [{ operation: etn.prise, every: 5m }] }\n', /^\S+:1: calls\[0\]: unknown operation "etn\.prise"/],
  ['calls:\n  - [1\n', /^\S+:\d: it is no valid YAML: /],
  ['calls: 5\n', /calls is missing\. It must be a list of calls/],
  ['{"callz": []}', /unknown field "callz"\. Did you mean calls\?/],
  ['{"calls": [}', /it is no valid JSON: /],
  ['creditsPerDay: many\ncalls: []\n', /creditsPerDay must be a number of credits above 0/],
])('%j is reported on one line with the place', async (text, message) => {
  const { run, write } = await createScene()
  const { code, stdout, stderr } = await run(['plan', write(text.startsWith('{"') ? 'plan.json' : 'plan.yaml', text)])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr.trimEnd().slice('error: '.length)).toMatch(message)
  expect(stderr.trimEnd()).not.toContain('\n')
})
