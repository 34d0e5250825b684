import { createClient } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'

const candle = (time: number) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 1, count: 1 })

test.each([
  [1_800_000_000, undefined],
  [8.64e12, undefined],
  [8.64e12 + 1, 'unexpected_shape'],
  [8.64e15, 'unexpected_shape'],
  [-8.64e15, 'unexpected_shape'],
])('a candle with the time %d, strictly', async (time, code) => {
  const client = createClient({
    apiKey: 'esk_live_key',
    validate: 'strict',
    fetch: async () => Response.json({ data: [candle(time)], cursor: null }),
  })
  const error = await client.token.candles({ address: fakeTokens.BOLT }).then(
    () => undefined,
    (caught) => caught,
  )
  expect(error?.code).toBe(code)
  await client.close()
})
