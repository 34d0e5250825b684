import { fakeTokens } from 'etn-market/fake'
import { expect, onTestFinished, test, vi } from 'vitest'
import { run as runProgram } from '../../src/cli/program.ts'
import { createHost, createScene } from './program.ts'

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

test('--watch shows the ages of the feed: never below 0, and after a jump forward, which may be sleep, a new price', async () => {
  const scene = await createScene()
  const host = createHost({ folder: scene.folder, env: { ...scene.env, NO_COLOR: '1' }, columns: 120 })
  const code = runProgram(['prices', BOLT, '--watch', '1h', '--no-symbols', '--yes'], host)
  const ages = () => Array.from(host.printed().stdout.matchAll(/ (\S+) s$/gm), ([, age]) => Number(age))
  await expect.poll(() => ages().length).toBeGreaterThan(0)
  const { now } = Date
  for (const step of [3_600_000, -3_600_000]) {
    vi.spyOn(Date, 'now').mockImplementation(() => now() + step)
    onTestFinished(() => void vi.restoreAllMocks())
    const drawn = ages().length
    await expect.poll(() => ages().length).toBeGreaterThan(drawn + 1)
    await expect.poll(() => ages().at(-1)).toBeLessThan(60)
    expect(ages().filter((age) => age < 0)).toEqual([])
    expect(ages().filter((age) => age >= 60).length).toBeLessThan(ages().length / 2)
  }
  expect(scene.fake.journal().filter(({ operation }) => operation === 'token.price').length).toBeLessThanOrEqual(2)
  host.emit('SIGINT')
  expect(await code).toBe(130)
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
