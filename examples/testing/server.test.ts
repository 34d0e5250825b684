/**
 * The third way: the fake is an HTTP server, and the environment leads to it. The code under test can be a program in any
 * language; the routes below `/_fake` control the fake.
 */
import { type FakeService, useFakeService } from 'etn-market/fake'
import { expect, onTestFinished, test } from 'vitest'
import { BOLT, LOCKS, PRICES, startBot, WORLD } from './start-bot.ts'

async function useBot() {
  const fake = await useFakeService({ after: onTestFinished }, { world: WORLD, keys: { mine: 100_000 } })
  const started = startBot(fake, {}) // URL and key come from the environment
  onTestFinished(() => started.client.close())
  return { fake, ...started }
}

/** What a suite in another language would send. */
async function control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
  const url = new URL(`/_fake/${path}`, process.env.ETN_MARKET_BASE_URL)
  const response = await fetch(url, body ? { method, body: JSON.stringify(body) } : { method })
  return { status: response.status, body: await response.json() }
}

test('sells when the price falls below the limit', async () => {
  const { bot, sold } = await useBot()
  await bot.check()
  await control('POST', 'world/price', { token: BOLT, usd: '0.018' })
  await bot.check()
  expect(sold).toEqual([`${BOLT} at 0.018`])
  const expected = { 'prices.batch': 2 * PRICES, 'locks.get': LOCKS }
  expect(await control('POST', 'expect/credits', { expected })).toMatchObject({ status: 200 })
  const unmet = await control('POST', 'expect/requests', { expected: 9 })
  expect([unmet.status, unmet.body.error.message]).toEqual([409, expect.stringContaining('Expected 9 requests, not 4')])
})

test('checks the locks at the next check when the service is busy', async () => {
  const { bot, notes } = await useBot()
  const held = [await control('POST', 'heavy-slots'), await control('POST', 'heavy-slots')]
  expect(await bot.check()).toMatchObject({ fresh: true })
  expect(notes).toEqual([expect.stringContaining('Next check tries again: locks.get')])
  for (const { body } of held) await control('DELETE', `heavy-slots/${body.id}`)
  await control('POST', 'clock', { advanceMs: 60_000 })
  await bot.check()
  expect((await control('GET', 'ledger?operation=locks.get')).body).toHaveLength(2)
})

test('goes on after a lost answer', async () => {
  const { bot, client } = await useBot()
  await control('POST', 'script', { operation: 'prices.batch', steps: ['ok', { reset: 'after' }] })
  await bot.check()
  expect(await bot.check()).toEqual({ value: 120, fresh: false })
  expect(client.budget.uncertain).toBe(PRICES)
  expect(await control('POST', 'expect/no-unused-faults')).toMatchObject({ status: 200 })
})

test('has a fake of its own in each test', async () => {
  const { fake }: { fake: FakeService } = await useBot()
  fake.expectRequests(0)
  expect((await control('GET', 'keys')).body).toEqual({ mine: { credits: 100_000, tier: 'standard' } })
})
