/** One way to test with the fake: `etn-market/vitest` gives each test a fake of its own, without a network. */

import { test as base } from 'etn-market/vitest'
import { expect } from 'vitest'
import { BOLT, DAY, HOUR, LOCKS, MINE, PRICES, START, startBot, WORLD } from './start-bot.ts'

const test = base
  .extend<{ started: ReturnType<typeof startBot> }>({
    started: async ({ fake }, use) => {
      const started = startBot(fake, { apiKey: fake.key, fetch: fake.fetch })
      await use(started)
      await started.client.close()
    },
  })
  // The time stands still except for `fake.advance`, so that prices in between are exact.
  .override({ fakeOptions: { world: WORLD, keys: { mine: 100_000 }, clock: { now: () => START } } })

test('values the portfolio, and is charged exactly what it should be', async ({ fake, started: { bot, notes } }) => {
  expect(await bot.check()).toEqual({ value: 1_000 * 0.02 + 200 * 0.5, fresh: true })
  expect(await bot.check()).toMatchObject({ fresh: true })
  fake.expectCredits({ 'prices.batch': 2 * PRICES, 'locks.get': LOCKS })
  expect(fake.remaining()).toBe(100_000 - 2 * PRICES - LOCKS)
  expect(notes).toEqual([])
})

test('sells once when the price falls below the limit', async ({ fake, started: { bot, sold } }) => {
  const controller = new AbortController()
  const running = bot.run({ everyMs: HOUR, signal: controller.signal })
  fake.world.setPrice(BOLT, '0.016', { overMs: DAY })
  await fake.advance(6 * HOUR)
  expect(sold).toEqual([]) // 0.019 is not below 0.019
  await fake.advance(6 * HOUR)
  expect(sold).toEqual([`${BOLT} at ${0.02 - (0.004 * 7) / 24}`])
  controller.abort()
  await running
  fake.expectRequests({ 'prices.batch': 13, 'locks.get': 2 })
})

test('has the same start for a rise and a fall of the price', async ({ fake, started: { bot, sold } }) => {
  await bot.check()
  const start = fake.snapshot()
  fake.world.setPrice(BOLT, '0.03')
  expect(await bot.check()).toMatchObject({ value: 130 })
  fake.restore(start)
  fake.world.setPrice(BOLT, '0.018')
  expect(await bot.check()).toMatchObject({ value: 118 })
  expect(sold).toEqual([`${BOLT} at 0.018`])
  fake.expectCredits(2 * PRICES + LOCKS) // the check after the rise is forgotten
})

test('keeps the last known price of a token without one', async ({ fake, started: { bot } }) => {
  await bot.check()
  fake.world.unprice(MINE)
  expect(await bot.check()).toEqual({ value: 120, fresh: true })
  fake.stub('prices.batch', ({ data }) => ({ ...data, [MINE.toLowerCase()]: { usd: '0', etn: '0' } }))
  expect(await bot.check()).toEqual({ value: 120, fresh: true })
})

test('goes on after an error, and counts a lost answer as spent', async ({ fake, started: { bot, client, notes } }) => {
  fake.script('prices.batch', ['ok', { status: 500 }, { reset: 'after' }, { delayMs: 500 }])
  expect(await bot.check()).toEqual({ value: 120, fresh: true })
  expect(await bot.check()).toEqual({ value: 120, fresh: false })
  expect(await bot.check()).toEqual({ value: 120, fresh: false })
  const slow = bot.check()
  await fake.advance(500)
  expect(await slow).toEqual({ value: 120, fresh: true })
  expect(notes).toEqual(Array(2).fill(expect.stringContaining('Next check tries again: prices.batch')))
  fake.expectCredits({ 'prices.batch': 3 * PRICES, 'locks.get': LOCKS })
  expect(client.budget).toMatchObject({ spent: 2 * PRICES + LOCKS, uncertain: PRICES })
})

test('reports liquidity that unlocks within a month, once a day', async ({ fake, started: { bot, notes } }) => {
  await bot.check()
  await fake.advance(11 * DAY)
  await bot.check()
  await bot.check()
  expect(notes).toEqual([`${MINE}: locks that end within a month: 1`])
})

test('never spends more than its budget, and has a new one the next day', async ({ fake, started: { bot, notes } }) => {
  const running = bot.run({ everyMs: 60_000 })
  await fake.advance(HOUR)
  await running
  fake.expectCredits(LOCKS + 50 * PRICES)
  expect(notes).toEqual([expect.stringContaining('Stopped: prices.batch: the budget has 0 of 10000 credits left')])
  await fake.advance(DAY)
  expect(await bot.check()).toMatchObject({ fresh: true })
})

test('stops when the credits of the key run out', async ({ fake, started: { bot, notes } }) => {
  fake.setCredits('mine', LOCKS + 2 * PRICES + 60)
  const running = bot.run({ everyMs: HOUR })
  await fake.advance(DAY)
  await running
  expect(notes).toEqual([expect.stringMatching(/^Stopped: .*60/)])
  expect(fake.journal().at(-1)).toMatchObject({ operation: 'prices.batch', status: 402, credits: 0 })
})
