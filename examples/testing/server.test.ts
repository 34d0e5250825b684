/** The third way: the fake is an HTTP server. What is tested can be a program in any language; `/_fake` is the remote control. */
import { createFakeService, type FakeServer } from 'etn-market/fake'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { BOLT, CORE, clock, DAY, startBot } from './start-bot.ts'

const fake = createFakeService({ clock, keys: { esk_test_mine: 100_000 } })
let server: FakeServer
const setUp = () => startBot(fake, { apiKey: 'esk_test_mine', baseUrl: server.url })

/** What a suite in another language would send. */
async function control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
  const url = new URL(`/_fake/${path}`, server.url)
  const response = await fetch(url, body ? { method, body: JSON.stringify(body) } : { method })
  return response.json()
}

beforeAll(async () => {
  server = await fake.listen()
})
afterEach(() => control('POST', 'reset'))
afterAll(() => fake.close())

test('values the portfolio and spends exactly what it should', async () => {
  const { bot } = setUp()
  expect(await bot.look()).toEqual({ value: expect.closeTo(193.72, 2), fresh: true })
  fake.expectCredits({ 'prices.batch': 120, 'locks.get': 4_000 })
  expect(await control('GET', 'keys')).toMatchObject({ esk_test_mine: { credits: 100_000 - 4_120 } })
})

test('tells of prices that moved within a day', async () => {
  const { bot, told } = setUp()
  await bot.look()
  await control('POST', 'clock', { advanceMs: DAY })
  await bot.look()
  expect(told).toEqual([`${BOLT} moved by 9.3 %`, `${CORE} moved by 6.0 %`])
})

test('goes on with the last known prices when an answer is lost, and counts it as paid', async () => {
  const { bot, client } = setUp()
  const { value } = await bot.look()
  await control('POST', 'faults', { operation: 'prices.batch', reset: 'after' })
  expect(await bot.look()).toEqual({ value, fresh: false })
  expect(client.budget.uncertain).toBe(120)
  const charges = await control('GET', 'ledger')
  expect(charges.at(-1)).toMatchObject({ operation: 'prices.batch', credits: 120, delivered: false })
})

test('looks at the locks later when the service is busy', async () => {
  const { bot, told } = setUp()
  const held = [await control('POST', 'heavy-slots'), await control('POST', 'heavy-slots')]
  expect(await bot.look()).toMatchObject({ fresh: true })
  expect(told).toEqual([expect.stringContaining('Going on with what is known')])
  fake.expectCredits({ 'prices.batch': 120 })
  for (const { id } of held) await control('DELETE', `heavy-slots/${id}`)
  await control('POST', 'clock', { advanceMs: 60_000 })
  await bot.look()
  fake.expectCredits({ 'prices.batch': 240, 'locks.get': 4_000 })
})

test('stops when the credits of the key run out', async () => {
  await control('POST', 'keys', { esk_test_mine: 4_300 })
  const { bot, told } = setUp()
  await bot.run({ everyMs: 1 })
  expect(told).toEqual([expect.stringContaining('Stopped')])
  fake.expectCredits(4_240)
})
