import { BudgetExceededError, createClient } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { expect, test } from 'vitest'
import { rejection } from '../support/setup.ts'
import { DAY, MINUTE, noted, some, stage, types } from './setup.ts'

test('promises that do not fit are stretched by one factor, which is told', async () => {
  const { feed, fake, clock, events } = stage({ budget: { creditsPerDay: 20_000 } })
  // 14 addresses every 5 minutes and 6 every 10 would cost about 77,000 a day.
  noted(feed, some(14), 5 * MINUTE)
  noted(feed, some(6, 14), 10 * MINUTE)
  await clock.advance(MINUTE)
  const { stretch, creditsPerDay, projected, spent, addresses, state } = feed.status()
  expect(stretch).toBeGreaterThan(3.5)
  expect(stretch).toBeLessThan(4.2)
  expect({ addresses, state, spent }).toEqual({ addresses: 20, state: 'running', spent: 300 })
  expect(creditsPerDay).toBeLessThanOrEqual(20_500)
  expect(projected).toBeLessThanOrEqual(20_000)
  expect(events.find(({ type }) => type === 'feed.stretched')).toMatchObject({ stretch: expect.closeTo(stretch, 1) })
  await clock.advance(DAY - 2 * MINUTE)
  expect(fake.charged()).toBeLessThanOrEqual(20_000)
  expect(fake.charged()).toBeGreaterThan(17_000)
  expect(types(events)).not.toContain('feed.stopped')
  const [longest] = fake
    .journal()
    .map(({ at }, index, all) => at - (all[index - 1]?.at ?? at))
    .sort((a, b) => b - a)
  expect(longest).toBeLessThan(30 * MINUTE)
})

test('when there is enough again, the stretch ends and that is told', async () => {
  const { feed, clock, events } = stage({ budget: { creditsPerDay: 20_000 } })
  noted(feed, some(4), 20 * MINUTE)
  const greedy = noted(feed, some(30, 4), MINUTE)
  await clock.advance(30 * MINUTE)
  expect(feed.status().stretch).toBeGreaterThan(5)
  greedy.stop()
  await clock.advance(60 * MINUTE)
  expect(clock.pending).toBe(1)
  expect(feed.status().stretch).toBe(1)
  expect(events.filter(({ type }) => type === 'feed.stretched').at(-1)).toMatchObject({ stretch: 1 })
})

test('a budget that is gone stops the feed once, and the next day it goes on', async () => {
  const { feed, fake, clock, events } = stage({ budget: { creditsPerDay: 650 } })
  const start = clock.now()
  await Promise.all([feed.prices(some(50)), clock.advance(10)])
  const error = rejection(feed.prices(some(3, 60)), BudgetExceededError)
  await clock.advance(10)
  await error
  const { prices, errors } = noted(feed, some(3), MINUTE)
  const again = rejection(feed.price(some(1, 70)[0] ?? ''), BudgetExceededError)
  await clock.advance(DAY / 2)
  await again
  expect(fake.charged()).toBeLessThanOrEqual(650)
  expect(types(events).filter((type) => type === 'feed.stopped')).toHaveLength(1)
  expect(feed.status()).toMatchObject({ state: 'stopped', until: start + DAY })
  // Known prices are still told, with what they are worth.
  expect((await feed.price(some(1)[0] ?? '')).stale).toBe(true)
  await clock.advance(DAY / 2 + MINUTE)
  expect(types(events)).toContain('feed.resumed')
  expect(prices.at(-1)?.stale).toBe(false)
  expect(errors.length).toBeLessThanOrEqual(1)
})

test('what is left buys what it can before the feed stops, and what fell due first goes first', async () => {
  const { BOLT, CORE, DYNO, PDY } = fakeTokens
  const { feed, fake, clock, events } = stage({ budget: { creditsPerDay: 240 } })
  await Promise.all([feed.prices([BOLT, CORE, DYNO]), clock.advance(10)])
  const refused = rejection(feed.prices([PDY, ...some(3)]), BudgetExceededError)
  await clock.advance(10)
  await refused
  // 110 are left: not 140 for four in a batch, nor 130 for three, but one by one for two, of whom the second is not listed.
  fake.expectCredits(130 + 50)
  expect(types(events)).toContain('feed.stopped')
  expect(await feed.price(PDY)).toMatchObject({ address: PDY, stale: false })
})

test('look-ups beyond the budget are answered with older prices instead of stopping', async () => {
  const { feed, fake, clock, events } = stage({ budget: { creditsPerDay: 10_000 } })
  for (let minute = 0; minute < 1_430; minute++) {
    void feed.prices(some(10), { maxAgeMs: MINUTE }).catch(() => {})
    await clock.advance(MINUTE)
  }
  expect(fake.charged()).toBeLessThanOrEqual(10_000)
  expect(fake.charged()).toBeGreaterThan(6_000)
  expect(types(events)).not.toContain('feed.stopped')
})

test('a lack of credits on the key stops the feed, and credits bring it back', async () => {
  const { feed, fake, clock, events } = stage({}, { keys: { esk_test_poor: 130 } })
  const { prices, errors } = noted(feed, some(3), MINUTE)
  await clock.advance(10 * MINUTE)
  expect(types(events).filter((type) => type === 'feed.stopped')).toHaveLength(1)
  expect(errors).toEqual([expect.objectContaining({ name: 'InsufficientCreditsError' })])
  expect(prices.slice(3).map(({ stale }) => stale)).toEqual([true, true, true])
  fake.setCredits('esk_test_poor', 1_000)
  await clock.advance(MINUTE)
  expect(types(events).at(-2)).toBe('feed.resumed')
  expect(prices.at(-1)?.stale).toBe(false)
})

test("the client's own budget holds the feed as well", async () => {
  const { fake, clock } = stage()
  const client = createClient({
    apiKey: fake.key,
    fetch: fake.fetch,
    clock,
    budget: { credits: 200, windowMs: 10 * MINUTE },
  })
  const feed = createPriceFeed(client, { clock })
  const { prices } = noted(feed, some(3), MINUTE)
  await clock.advance(10 * MINUTE - 1)
  expect(fake.charged()).toBe(130)
  await clock.advance(MINUTE)
  expect(fake.charged()).toBe(260)
  expect(prices.at(-1)?.stale).toBe(false)
  await feed.close()
  await client.close()
})
