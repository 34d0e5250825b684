import { createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createCreditMeter, useCreditMeter, usePrice } from 'etn-market/react'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'

test('on a server the hooks render without a price, and buy nothing', async () => {
  const fake = createFakeService()
  const meter = createCreditMeter()
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, onEvent: meter.onEvent })
  const feed = createPriceFeed(client)
  function Price() {
    const price = usePrice(feed, fakeTokens.BOLT, { everyMs: 60_000 })
    const { charged } = useCreditMeter(meter)
    return createElement('p', null, `${price?.usd ?? 'no price'}, ${charged} credits`)
  }
  expect(renderToString(createElement(Price))).toBe('<p>no price, 0 credits</p>')
  await feed.price(fakeTokens.BOLT)
  expect(renderToString(createElement(Price))).toBe('<p>no price, 50 credits</p>')
  expect([fake.charged(), feed.status().watches]).toEqual([50, 0])
  await feed.close()
  await client.close()
})
