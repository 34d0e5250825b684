/** One way to test with the fake: hand it to the client as its `fetch`. No network, no server, a fake for each test. */
import { createFakeService } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { BOLT, CORE, clock, DAY, startBot } from './start-bot.ts'

function setUp(credits = 100_000) {
  const fake = createFakeService({ clock, keys: { esk_test_mine: credits } })
  return { fake, ...startBot(fake, { apiKey: 'esk_test_mine', fetch: fake.fetch }) }
}

test('values the portfolio and spends exactly what it should', async () => {
  const { bot, fake, told } = setUp()
  expect(await bot.look()).toEqual({ value: expect.closeTo(193.72, 2), fresh: true })
  expect(await bot.look()).toMatchObject({ fresh: true })
  fake.expectCredits({ 'prices.batch': 2 * (100 + 2 * 10), 'locks.get': 2 * 2_000 })
  expect(fake.remaining()).toBe(100_000 - 4_240)
  expect(told).toEqual([])
})

test('tells of prices that moved, and checks the locks again the next day', async () => {
  const { bot, fake, told } = setUp()
  await bot.look()
  fake.advance(DAY)
  await bot.look()
  expect(told).toEqual([`${BOLT} moved by 9.3 %`, `${CORE} moved by 6.0 %`])
  fake.expectRequests({ 'prices.batch': 2, 'locks.get': 4 })
})

test('tells of liquidity that unlocks soon', async () => {
  const { bot, fake, told } = setUp()
  const tomorrow = { active: true, created: (clock.now() - 29 * DAY) / 1000, duration: (30 * DAY) / 1000 }
  fake.fault({ operation: 'locks.get', transform: () => ({ data: [tomorrow], cursor: null }) })
  await bot.look()
  expect(told).toEqual([`${BOLT}: 1 locks open within a month`])
})

test('goes on with the last known prices when an answer is lost, and counts it as paid', async () => {
  const { bot, client, fake } = setUp()
  const { value } = await bot.look()
  fake.fault({ operation: 'prices.batch', reset: 'after' })
  expect(await bot.look()).toEqual({ value, fresh: false })
  fake.expectCredits({ 'prices.batch': 240, 'locks.get': 4_000 })
  expect(client.budget).toMatchObject({ spent: 4_120, uncertain: 120 })
  expect(await bot.look()).toEqual({ value, fresh: true })
  fake.expectNoUnusedFaults()
})

test('looks at the locks later when the service is busy', async () => {
  const { bot, fake, told } = setUp()
  const release = [fake.holdHeavySlot(), fake.holdHeavySlot()] // other users of the service
  expect(await bot.look()).toMatchObject({ fresh: true })
  expect(told).toEqual([expect.stringContaining('Going on with what is known')])
  fake.expectCredits({ 'prices.batch': 120 })
  for (const free of release) free()
  fake.advance(60_000)
  await bot.look()
  fake.expectCredits({ 'prices.batch': 240, 'locks.get': 4_000 })
})

test('stops when the credits of the key run out', async () => {
  const { bot, fake, told } = setUp(4_300)
  await bot.run({ everyMs: 1 })
  expect(told).toEqual([expect.stringMatching(/^Stopped: .*60/)])
  fake.expectCredits(4_240)
  expect(fake.journal().at(-1)).toMatchObject({ operation: 'prices.batch', status: 402, credits: 0 })
})

test('never spends more than its budget, and has a new one the next day', async () => {
  const { bot, fake, told } = setUp()
  await bot.run({ everyMs: 0 })
  fake.expectCredits(4_000 + 50 * 120)
  expect(told).toEqual([expect.stringContaining('Stopped: prices.batch: the budget has 0 of 10000 credits left')])
  fake.advance(DAY)
  expect(await bot.look()).toMatchObject({ fresh: true })
})
