import { createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createCreditMeter, useCreditMeter, useFeedStatus, usePrice } from 'etn-market/react'
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
    const none = usePrice(feed, undefined, { everyMs: 60_000 })
    const { state, stream } = useFeedStatus(feed)
    const known = [price, none, stream].filter((each) => each !== undefined)
    return createElement('p', null, `${known.length} known, ${charged} credits, ${state}`)
  }
  expect(renderToString(createElement(Price))).toBe('<p>0 known, 0 credits, idle</p>')
  await feed.price(fakeTokens.BOLT)
  expect(renderToString(createElement(Price))).toBe('<p>0 known, 50 credits, idle</p>')
  expect([fake.charged(), feed.status().watches]).toEqual([50, 0])
  await feed.close()
  await client.close()
})
