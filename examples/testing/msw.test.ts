/** Another way: the bot calls the public service, and msw hands each request to the fake. One fake for the file, reset after each test. */
import { createFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { BOLT, CORE, clock, DAY, startBot } from './start-bot.ts'

const fake = createFakeService({ clock, keys: { esk_test_mine: 100_000 } })
const server = setupServer(...mswHandlers(fake))
const setUp = () => startBot(fake, { apiKey: 'esk_test_mine' })

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => {
  fake.expectNoUnusedFaults()
  server.resetHandlers()
  fake.reset()
})
afterAll(async () => {
  server.close()
  await fake.close()
})

test('values the portfolio and spends exactly what it should', async () => {
  const { bot } = setUp()
  expect(await bot.look()).toEqual({ value: expect.closeTo(193.72, 2), fresh: true })
  fake.expectCredits({ 'prices.batch': 120, 'locks.get': 4_000 })
})

test('tells of prices that moved within a day', async () => {
  const { bot, told } = setUp()
  await bot.look()
  fake.advance(DAY)
  await bot.look()
  expect(told).toEqual([`${BOLT} moved by 9.3 %`, `${CORE} moved by 6.0 %`])
})

test('goes on with the last known prices when an answer is lost, and counts it as paid', async () => {
  const { bot, client } = setUp()
  const { value } = await bot.look()
  fake.fault({ operation: 'prices.batch', reset: 'after' })
  expect(await bot.look()).toEqual({ value, fresh: false })
  expect(fake.ledger({ operation: 'prices.batch' }).map(({ delivered }) => delivered)).toEqual([true, false])
  expect(client.budget.uncertain).toBe(120)
})

test('goes on with what is known when the service is busy', async () => {
  const { bot, told } = setUp()
  fake.fault({ operation: 'locks.get', status: 503, retryAfter: '1' })
  expect(await bot.look()).toMatchObject({ fresh: true })
  expect(told).toEqual([expect.stringContaining('Going on with what is known')])
  fake.expectCredits({ 'prices.batch': 120 })
})

test('stops when the credits of the key run out', async () => {
  fake.setCredits('esk_test_mine', 4_300)
  const { bot, told } = setUp()
  await bot.run({ everyMs: 1 })
  expect(told).toEqual([expect.stringContaining('Stopped')])
  fake.expectCredits(4_240)
})

test('a handler of the suite still goes first', async () => {
  server.use(http.get(`${fake.baseUrl}/prices/:chainId`, () => HttpResponse.json({ data: {}, cursor: null })))
  const { bot } = setUp()
  expect(await bot.look()).toEqual({ value: 0, fresh: true })
  fake.expectRequests({ 'locks.get': 2 })
})
