import { describe, expect, test } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup } from '../support/setup.ts'

const TOKEN = address(1)
const candle = (time: number) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 0, count: 1 })
const times = (candles: readonly object[]) => candles.map((one) => (one as { time: number }).time)

describe('candles are ascending by time', () => {
  test.each([
    ['descending', [3, 2, 1]],
    ['ascending', [1, 2, 3]],
    ['mixed', [2, 3, 1]],
  ])('when the service sends them %s', async (_, sent) => {
    const { client } = setup(() => ok(sent.map(candle), costs(103)))
    expect(times(await client.token.candles({ address: TOKEN }))).toEqual([1, 2, 3])
  })

  test('for each caller who shares them, and from the cache', async () => {
    const { client, script } = setup(() => ok([3, 1, 2].map(candle), costs(103)), {
      cache: { ttlMs: { 'token.candles': 1_000 } },
    })
    const call = () => client.token.candles({ address: TOKEN })
    const answers = await Promise.all([call(), call()])
    await flush()
    answers.push(await call())
    expect(answers.map(times)).toEqual(Array(3).fill([1, 2, 3]))
    expect(script.requests).toHaveLength(1)
  })

  test('an odd list does not fail the call', async () => {
    const { client } = setup(() => ok([null, 'x', candle(1)], costs(103)))
    expect(await client.token.candles({ address: TOKEN })).toHaveLength(3)
  })
})

test.each([
  [1_800_000_000, undefined],
  [8.64e12, undefined],
  [8.64e12 + 1, 'unexpected_shape'],
  [8.64e15, 'unexpected_shape'],
  [-8.64e15, 'unexpected_shape'],
])('a candle with the time %d, strictly', async (time, code) => {
  const { client } = setup(() => ok([candle(time)], costs(101)), { validate: 'strict' })
  const error = await client.token.candles({ address: TOKEN }).then(
    () => undefined,
    (caught) => caught,
  )
  expect(error?.code).toBe(code)
})
