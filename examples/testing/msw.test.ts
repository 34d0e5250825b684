/** Another way: the bot calls the public service, and msw hands each request to one fake, restored after each test. */
import { createFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { BOLT, LOCKS, PRICES, startBot, WORLD } from './start-bot.ts'

const fake = createFakeService({ world: WORLD, keys: { mine: 100_000 } })
const start = fake.snapshot()
const server = setupServer(...mswHandlers(fake))

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => {
  fake.expectNoUnusedFaults()
  server.resetHandlers()
  fake.restore(start)
})
afterAll(async () => {
  server.close()
  await fake.close()
})

test('values the portfolio at the new price', async () => {
  const { bot } = startBot(fake, { apiKey: 'mine' })
  expect(await bot.check()).toEqual({ value: 120, fresh: true })
  fake.world.setPrice(BOLT, '0.03')
  expect(await bot.check()).toEqual({ value: 130, fresh: true })
  fake.expectCredits({ 'prices.batch': 2 * PRICES, 'locks.get': LOCKS })
})

test('starts with the prices of the world again', async () => {
  const { bot } = startBot(fake, { apiKey: 'mine' })
  expect(await bot.check()).toEqual({ value: 120, fresh: true })
  expect(fake.remaining()).toBe(100_000 - PRICES - LOCKS)
})

test('goes on while the service is busy', async () => {
  const { bot, notes } = startBot(fake, { apiKey: 'mine' })
  fake.script('locks.get', [{ status: 503 }])
  expect(await bot.check()).toMatchObject({ fresh: true })
  expect(notes).toEqual([expect.stringContaining('Next check tries again: locks.get')])
  fake.expectCredits({ 'prices.batch': PRICES })
})

test('a handler of the suite still goes first', async () => {
  server.use(http.get(`${fake.baseUrl}/prices/:chainId`, () => HttpResponse.json({ data: {}, cursor: null })))
  const { bot } = startBot(fake, { apiKey: 'mine' })
  expect(await bot.check()).toEqual({ value: 0, fresh: true })
  fake.expectRequests({ 'locks.get': 2 })
})
