import { createClient, InvalidRequestError } from 'etn-market'
import { createPriceFeed, type FeedStore } from 'etn-market/feed'
import { expect, test } from 'vitest'
import { createStore } from '../support/store.ts'
import { BOLT, TOKENS, useFleet } from './setup.ts'

const setup = useFleet([], { latencyMs: 30 })

function joinFeed(store: FeedStore) {
  const { client, fleet } = setup.join()
  const feed = createPriceFeed(client, { store, fleet })
  setup.onEnd(() => feed.close())
  return { feed, fleet, client }
}

test('a price is bought by one member of the fleet', async () => {
  const { store } = createStore()
  const feeds = Array.from({ length: 4 }, () => joinFeed(store))
  await feeds[0]!.fleet.initialize()
  const prices = await Promise.all(feeds.map(({ feed }) => feed.price(BOLT)))
  expect(new Set(prices.map(({ usd }) => usd)).size).toBe(1)
  setup.fake.expectCredits({ 'token.price': 50 })
  await Promise.all(feeds.map(({ feed }) => feed.prices(TOKENS)))
  setup.fake.expectCredits({ 'token.price': 50, 'prices.batch': 100 + 10 * (TOKENS.length - 1) })
})

test('a Redis that does not answer costs a request, and never a price', async () => {
  const { fleet } = setup.join({}, {}, setup.connect(1))
  const client = createClient({ apiKey: setup.fake.key, fetch: setup.fake.fetch })
  setup.onEnd(() => client.close())
  const feed = createPriceFeed(client, { store: createStore().store, fleet })
  setup.onEnd(() => feed.close())
  expect(await feed.price(BOLT)).toMatchObject({ address: BOLT })
})

test('a fleet needs a store that its members share', () => {
  const { client, fleet } = setup.join()
  expect(() => createPriceFeed(client, { fleet })).toThrow(InvalidRequestError)
  expect(() => createPriceFeed(client, { fleet: {} as never, store: createStore().store })).toThrow('Invalid fleet')
})
