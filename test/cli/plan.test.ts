import { readFileSync } from 'node:fs'
import { type CreditPlan, planCredits } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { lineFields } from '../../src/cli/plan-file.ts'
import { createScene } from './program.ts'

const YAML = `creditsPerDay: 50000
balance: 1000000
lines:
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
  const { BOLT, CORE, DYNO } = fakeTokens
  const prices = [BOLT, CORE, DYNO].map(
    (address) => ({ operation: 'token.price', params: { address }, every: '5m' }) as const,
  )
  const locks = { operation: 'locks.get', params: { address: BOLT }, everyMs: 86_400_000, activeHours: 12 } as const
  const calls = [...prices, locks]
  const expected: CreditPlan = planCredits(calls, { creditsPerDay: 50_000, balance: 1_000_000 })
  const purposes = calls.map(({ params }) => `${params.address.slice(0, 6)}…${params.address.slice(-4)}`)
  const plan = {
    limit: 50_000,
    withinLimit: true,
    slower: null,
    ...expected,
    calls: expected.calls.map((call, index) => ({ ...call, for: purposes[index], count: 1, fixed: false })),
  }
  expect(await json(['plan', file])).toEqual({ code: 0, data: plan })
  const list = write('plan.json', JSON.stringify(calls))
  expect(await json(['plan', list, '--daily-limit', '50000', '--balance', '1000000'])).toEqual({ code: 0, data: plan })
  const { stdout } = await run(['plan', file])
  expect(stdout).toMatch(/^token\.price +0x\w{4}…\w{4} +1 +5m +24 +14,400 +\$0\.0144 +31\.9 %$/m)
  expect(stdout).toContain('The balance lasts 22.1 days at least.')
  expect(stdout).toContain('Within the limit of 50,000 credits a day.')
  expect(stdout).toContain(`- ${expected.advice[0]?.message}`)
  expect(fake.journal()).toEqual([])
})

test('a plan above its limit exits with 1 and prints what fits', async () => {
  const { run, json, write } = await createScene()
  const file = write('credits.yaml', YAML)
  const { code, stdout } = await run(['plan', file, '--daily-limit', '20000'])
  expect(code).toBe(1)
  expect(stdout).toContain('Over the limit of 20,000 credits a day: it fits with intervals 2.26 times as long.\n')
  expect(await json(['plan', file, '--daily-limit', '20000'])).toMatchObject({
    code: 1,
    data: { withinLimit: false, limit: 20_000 },
  })
})

test('account prints how long the balance lasts', async () => {
  const { run, write } = await createScene()
  const { stdout } = await run(['account', '--plan', write('credits.yaml', YAML)])
  expect(stdout).toContain('The balance lasts 221.2 days at least.')
})

/** A plan with an alert, in the fourth line. */
const alertOf = (alert: string) =>
  `- operation: token.price\n  addresses: [${fakeTokens.BOLT}]\n  every: 5m\n  alert: ${alert}\n  hours: 08:00-20:00`

const BAD_ADDRESS = 'invalid address "0x1" (entry 1 of addresses)'

test.each([
  [
    'lines:\n  - { operation: etn.price, every: 1m }\n  - operation: token.price\n    every: 1m',
    ':3: lines[1]: token.price: invalid address: it is missing',
  ],
  [
    'lines:\n  - { operation: etn.price, every: 5 }',
    ':2: lines[0]: Invalid lines[0].every: 5. It must be a duration such as',
  ],
  ['- { operation: etn.prise, every: 5m }', ':1: lines[0]: unknown operation "etn.prise". Did you mean etn.price?'],
  ['- { operation: etn.price, evry: 5m }', ':1: lines[0]: unknown field "evry". Did you mean every?'],
  ['{ lines: [{ operation: etn.prise, every: 5m }] }', ':1: lines[0]: unknown operation "etn.prise"'],
  [
    'creditsPerDay: 5\nlines:\n  - operation: etn.price\n    once: noon',
    ':4: lines[0]: once must be night, day or a time in UTC such as 03:30.\n',
  ],
  [
    `- operation: prices.batch\n  addresses: [${fakeTokens.BOLT}]\n  every: 5m\n  alert:\n    abov: 1`,
    ':5: lines[0]: unknown field "abov". Did you mean above?\n',
  ],
  ['- { operation: etn.price, every: 5m, count: 0 }', ':1: lines[0]: count must be a whole number above 0.\n'],
  [
    '- { operation: etn.price, every: 5m, hours: 8-20 }',
    ':1: lines[0]: hours must be a span in UTC such as 08:00-20:00.\n',
  ],
  ['- { operation: etn.price, every: 5m, once: day }', ':1: lines[0]: once stands alone, without every'],
  ['- { operation: etn.price, every: 5m, file: "" }', ':1: lines[0]: file must be the name of a file.\n'],
  ['- { operation: etn.price, addresses: [0x1], once: day }', `:1: lines[0]: ${BAD_ADDRESS}`],
  [
    `- { operation: etn.price, addresses: [${fakeTokens.BOLT}], once: day }`,
    ':1: lines[0]: etn.price takes no address.\n',
  ],
  [
    '- { operation: locks.get, addresses: gone.txt, once: day }',
    ':1: lines[0]: addresses gone.txt: there is no such file or folder.\n',
  ],
  ['- 5', ':1: lines[0]: it must be an object with an operation.\n'],
  ['lines:\n  - [1', ': it is no valid YAML: '],
  ['lines: 5', 'lines is missing. It must be a list of lines'],
  ['lines: []', ':1: the plan has no lines. Add one.\n'],
  ['creditsPerDay: 5\nlines: []', ':2: the plan has no lines. Add one.\n'],
  ['[]', ':1: the plan has no lines. Add one.\n'],
  ['{"linez": []}', 'unknown field "linez". Did you mean lines?'],
  ['{"lines": [}', 'it is no valid JSON: '],
  ['creditsPerDay: many\nlines: []', ':1: creditsPerDay must be a whole number of credits above 0.\n'],
  ['balance: 5\ncreditsPerDay: 0.5\nlines: []', ':2: creditsPerDay must be a whole number of credits above 0.\n'],
  ['- { operation: etn.price, every: 5m, file: "a\\0b" }', ':1: lines[0]: file must be the name of a file.\n'],
  [
    alertOf('{ above: "0,05" }'),
    ':4: lines[0]: Invalid above: 0,05. It must be a number or a decimal string, 0 or more.\n',
  ],
  [alertOf('{ below: -1 }'), ':4: lines[0]: Invalid below: -1. It must be '],
  [alertOf('{ below: 1, above: }'), ':4: lines[0]: Invalid above: null. It must be '],
  [alertOf('{ above: [1] }'), ':4: lines[0]: Invalid above: a value of type object. It must be '],
  [alertOf('{ above: .nan }'), ':4: lines[0]: Invalid above: NaN. It must be '],
  [alertOf('{ movePercent: 0 }'), ':4: lines[0]: Invalid movePercent: 0. It must be above 0.\n'],
  [alertOf('5'), ':4: lines[0]: alert must be an object with above, below or movePercent.\n'],
])('%j is reported on one line with the place', async (text, message) => {
  const { run, write } = await createScene()
  const file = write(text.startsWith('{"') ? 'plan.json' : 'plan.yaml', `${text}\n`)
  const { code, stdout, stderr } = await run(['plan', file])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^error: \S+ .*\n$/)
  expect(stderr).toContain(message)
})

const ADDRESSES = Object.values(fakeTokens)

test('300 locks, once a night, cost what 300 calls a day cost, and their row shows what they are for', async () => {
  const { run, json, write } = await createScene()
  const file = write('credits.yaml', 'lines:\n  - { operation: locks.get, count: 300, once: night, for: unlocks }\n')
  expect(await json(['plan', file])).toMatchObject({
    data: { creditsPerDay: 600_000, requestsPerDay: 300, calls: [{ count: 300, fixed: true, for: 'unlocks' }] },
  })
  expect((await run(['plan', file])).stdout).toMatch(/^locks\.get +unlocks +300 +night +600,000 +\$0\.6 +100\.0 %$/m)
})

test('addresses are a list, or a file beside the plan, each one once and in any spelling', async () => {
  const { json, write } = await createScene()
  write('tokens.txt', `# mine\n${ADDRESSES.join('\n')}\n${ADDRESSES[0]?.toLowerCase()}\n`)
  const list = `[${ADDRESSES.join(', ')}]`
  const plans = await Promise.all(
    ['tokens.txt', list].map((addresses, index) =>
      json(['plan', write(`${index}.yaml`, `- { operation: locks.get, addresses: ${addresses}, once: '03:30' }\n`)]),
    ),
  )
  const calls = plans.map(({ data }) => (data as { calls: object[] }).calls[0])
  const line = { count: 10, creditsPerDay: 20_000, credits: 2_000 }
  expect(calls).toEqual([
    expect.objectContaining({ ...line, for: '10 of tokens.txt' }),
    expect.objectContaining({ ...line, for: '10 addresses' }),
  ])
})

test('prices of addresses cost what one feed for all of them buys', async () => {
  const { json, write } = await createScene()
  const [first, second] = [ADDRESSES.slice(0, 8), ADDRESSES.slice(4)].map((list) => `[${list.join(', ')}]`)
  const prices = (addresses: string | undefined) =>
    `- { operation: prices.batch, addresses: ${addresses}, every: 10m }\n`
  const costs = await Promise.all(
    [prices(first), prices(second), prices(first) + prices(second)].map(async (text, index) => {
      const { data } = await json(['plan', write(`${index}.yaml`, text)])
      return (data as { creditsPerDay: number }).creditsPerDay
    }),
  )
  // Eight and six tokens apart, ten together.
  expect(costs.map(Math.round)).toEqual([180 * 144, 160 * 144, 200 * 144])
})

test('over the limit it names the line to slow and what that saves, and leaves alone what has its own time', async () => {
  const { run, json, write } = await createScene()
  const plan = (every: string) => `creditsPerDay: 60000
lines:
  - { operation: locks.get, addresses: [${ADDRESSES.join(', ')}], once: night }
  - { operation: token.get, params: { address: ${ADDRESSES[0]} }, every: ${every}, for: supply }
  - { operation: etn.price, every: 5m }
`
  const { code, stdout } = await run(['plan', write('credits.yaml', plan('1m'))])
  expect(code).toBe(1)
  expect(stdout).toContain('Or slow token.get (supply) from 1m to 5m: that saves 115,200 credits a day.')
  expect(stdout).toContain('times as long; lines with once stay as they are.')
  expect((await json(['plan', write('slower.yaml', plan('5m'))])).data).toMatchObject({
    withinLimit: true,
    slower: null,
  })
  const fixed = await run(['plan', write('credits.yaml', plan('1m')), '--daily-limit', '15000'])
  expect(fixed.stdout).toContain('lines with once cost 20,000 alone. Raise the limit, or shorten their lists.')
})

test('a plan that costs its limit exactly fits it', async () => {
  const { run, write } = await createScene()
  const text = `- { operation: prices.batch, addresses: [${ADDRESSES.slice(0, 3).join(', ')}], every: 2m }\n`
  const { code, stdout } = await run(['plan', write('plan.yaml', text), '--daily-limit', '93600'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('Within the limit of 93,600 credits a day.')])
})

const guide = readFileSync(new URL('../../src/cli/GUIDE.md', import.meta.url), 'utf8')

test('the plan of the guide fits its limit, and the guide has every field of a call', async () => {
  const { run, write } = await createScene()
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(guide) ?? []
  write('tokens.txt', ADDRESSES.join('\n'))
  const { code, stdout } = await run(['plan', write('plan.yaml', yaml)])
  expect([code, stdout]).toEqual([0, expect.stringContaining('Within the limit of 200,000 credits a day.')])
  const rows = [...guide.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? [])
  expect(lineFields.filter((field) => !rows.includes(field))).toEqual([])
})

test('the plan of the guide that is too expensive prints what the guide shows, and fails', async () => {
  const { run, write } = await createScene()
  const [, chapter = ''] = guide.split('### In a CI job')
  const [, yaml = '', printed] = /^```yaml\n(.*?)^```$.*?^```\n(operation.*?)^```$/ms.exec(chapter) ?? []
  const { code, stdout } = await run(['plan', write('ci.yaml', yaml), '--daily-limit', '100000'])
  expect([code, stdout]).toEqual([1, printed])
})

test.each([
  [80, ['operation', 'for', 'calls', 'every', 'credits a day', 'a day', 'share']],
  [40, ['operation', 'every', 'credits a day']],
])('the table fits %d columns by leaving columns out', async (columns, titles) => {
  const { run, write } = await createScene()
  const text = `- { operation: prices.batch, addresses: [${ADDRESSES.join(', ')}], every: 5m, for: dashboard }\n`
  const { stdout } = await run(['plan', write('plan.yaml', text)], { env: { COLUMNS: String(columns) } })
  const lines = stdout.split('\n').slice(0, 2)
  expect(lines.map((line) => line.length <= columns)).toEqual([true, true])
  expect(lines[0]?.trim().split(/ {2,}/)).toEqual(titles)
})

test.each(['plan', 'run'])('the help of `%s` fits 80 columns, and its example can be run', async (command) => {
  const { run, write } = await createScene()
  const { stdout } = await run([command, '--help'], { env: { COLUMNS: '80' } })
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  const [example = ''] = /^ {2}creditsPerDay:[\s\S]*/m.exec(stdout) ?? []
  for (const name of ['tokens.txt', 'nfts.txt']) write(name, fakeTokens.BOLT)
  write('plan.yaml', example.replaceAll('[0x043f…]', `['${fakeTokens.BOLT}']`))
  const planned = await run(['plan', 'plan.yaml'])
  expect([planned.code, planned.stderr]).toEqual([0, ''])
  expect(planned.stdout).not.toContain('`run` needs')
})
