import { createClient } from 'etn-market'
import { createPriceFeed, type FeedPrice } from 'etn-market/feed'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'
import { openRunningProxy, TOKENS } from './setup.ts'

/** A page that watches some tokens until it has the price of each. */
async function visit(baseUrl: string, count: number) {
  const client = createClient({ baseUrl })
  const feed = createPriceFeed(client, { stream: true })
  const prices: FeedPrice[] = []
  feed.watch(TOKENS.slice(0, count), { everyMs: 60_000, onPrice: (price) => void prices.push(price) })
  await expect.poll(() => prices, { interval: 5 }).toHaveLength(count)
  return { client, feed, leave: () => Promise.all([feed.close(), client.close()]) }
}

test('over connections, pages buy and stream, and a page that goes leaves nothing behind', async () => {
  const { fake, feed, proxy } = openRunningProxy()
  const baseUrl = `${await listen(proxy)}/api/market`
  const one = await visit(baseUrl, 3)
  const other = await visit(baseUrl, 3)
  expect([one.client.credits.charged, other.client.credits.charged]).toEqual([0, 0])
  fake.expectCredits({ 'token.list': 600, 'prices.batch': 130 })
  const bought = await one.client.prices.batch({ addresses: TOKENS.slice(0, 5) }).withMeta()
  expect(bought.meta.credits.charged).toBe(150)
  expect(feed.status().watches).toBe(1)
  await Promise.all([one.leave(), other.leave()])
  await expect.poll(() => feed.status().watches, { interval: 5 }).toBe(0)
})

test('behind msw, a page needs no server', async () => {
  const { proxy, fake } = openRunningProxy()
  const server = setupServer(http.all('https://dapp.example/api/market/*', ({ request }) => proxy(request)))
  server.listen({ onUnhandledRequest: () => HttpResponse.error() })
  onTestFinished(() => server.close())
  const { client, leave } = await visit('https://dapp.example/api/market', 3)
  await client.prices.batch({ addresses: TOKENS.slice(0, 2) })
  expect(client.credits.charged).toBe(120)
  fake.expectCredits(600 + 250)
  await leave()
})
