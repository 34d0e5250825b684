import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeService, type FakeService, fakeTokens } from 'etn-market/fake'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Child, follow } from '../support/child.ts'
import { compilePrograms } from '../support/compile-programs.ts'

const { BOLT } = fakeTokens
const [BOT = ''] = await compilePrograms('examples/bot/bot.ts')
const folder = mkdtempSync(join(tmpdir(), 'etn-market-bot-'))
const state = join(folder, 'state.json')
let fake: FakeService
let baseUrl: string

beforeAll(async () => {
  fake = createFakeService()
  fake.world.setPrice(BOLT, '0.03')
  ;({ url: baseUrl } = await fake.listen({ port: 0 }))
})

afterAll(async () => {
  await fake.close()
  rmSync(folder, { recursive: true })
})

function startBot(...args: string[]): Child {
  const env = { ...process.env, ETN_MARKET_API_KEY: fake.key, ETN_MARKET_BASE_URL: baseUrl }
  return follow(spawn(process.execPath, [BOT, BOLT, '--state', state, ...args], { env }))
}

test('the bot prints an alert, ends cleanly on Ctrl-C, and knows after a restart what it spent', async () => {
  // No request is in flight right after an alert: one that is lost may be charged.
  const first = startBot('--below', '0.02', '--every-ms', '1000', '--credits-per-day', '100000000')
  await expect.poll(first.printed).toContain('Watching')
  await expect.poll(() => fake.charged({ operation: 'token.price' })).toBeGreaterThan(0)
  fake.world.setPrice(BOLT, '0.019')
  await expect.poll(first.printed).toMatch(/ is below the limit: 0\.019\d* USD/)
  first.process.kill('SIGINT')
  expect(await first.ended()).toMatchObject({ code: 0 })
  const spent = fake.charged()
  expect(first.printed()).toContain(`Spent ${spent} credits in this run, ${spent} today.`)

  const second = startBot('--below', '0.01', '--every-ms', '3600000')
  await expect.poll(second.printed).toContain('Watching')
  // Time enough to buy a price, which it must not.
  await new Promise((resolve) => setTimeout(resolve, 300))
  second.process.kill('SIGTERM')
  expect(await second.ended()).toMatchObject({ code: 0 })
  // The last price of the first run is young enough.
  expect(fake.charged()).toBe(spent)
  expect(second.printed()).toMatch(/Spent 0 credits in this run/)
})

test('the bot ends with an error when its state cannot be read, and spends nothing', async () => {
  const broken = join(folder, 'broken.json')
  writeFileSync(broken, '{')
  const before = fake.journal().length
  const bot = startBot('--state', broken)
  expect(await bot.ended()).toMatchObject({ code: 1 })
  expect(bot.printed()).toContain('broken.json: it is damaged')
  expect(fake.journal()).toHaveLength(before)
})
