import { expect, test } from 'vitest'
import { settle } from '../support/settle.ts'
import { setupProxy } from './setup.ts'

test('a page without a key works on the proxy as on the service', async () => {
  const { fake, page, client } = setupProxy({
    allow: ['token.list', 'prices.batch', 'token.price', { operation: 'token.candles', limit: 20 }, 'trade.list', 'meta.openapi'],
  })
  const own = page('ada')
  const direct = await client.token.list({ limit: 5 })
  const listed = await own.token.list({ limit: 5 }).withMeta()
  expect(listed.data).toEqual(direct)
  expect(listed.meta.credits).toMatchObject({ charged: 125, source: 'header' })

  const addresses = direct.map(({ address }) => address)
  const prices = await own.prices.batch({ addresses: [...addresses, `0x${'0'.repeat(39)}1`] }).withMeta()
  expect(prices.data).toEqual(await client.prices.batch({ addresses: [...addresses, `0x${'0'.repeat(39)}1`] }))
  expect(prices.meta.credits.charged).toBe(160)

  const [address = ''] = addresses
  const candles = await own.token.candles({ address, bucket: '1d' }).withMeta()
  expect(candles.data).toHaveLength(20)
  expect(candles.meta.credits.charged).toBe(120)
  expect(await own.meta.openapi()).toEqual(await client.meta.openapi())
  await settle()
  expect(fake.charged()).toBe(own.credits.charged + client.credits.charged - own.credits.charged)
})
