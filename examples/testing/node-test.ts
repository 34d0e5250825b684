/** The same with `node:test`: `node --import tsx --test examples/testing/node-test.ts` */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useFakeService } from 'etn-market/fake'
import { BOLT, LOCKS, PRICES, startBot, WORLD } from './start-bot.ts'

test('sells when the price falls below the limit', async (t) => {
  const fake = await useFakeService(t, { world: WORLD })
  const { bot, client, sold } = startBot(fake, {})
  t.after(() => client.close())
  await bot.check()
  fake.world.setPrice(BOLT, '0.018')
  await bot.check()
  assert.deepEqual(sold, [`${BOLT} at 0.018`])
  fake.expectCredits({ 'prices.batch': 2 * PRICES, 'locks.get': LOCKS })
})
