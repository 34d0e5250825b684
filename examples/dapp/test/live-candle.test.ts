import { expect, test } from 'vitest'
import type { CandleChoice } from '../src/purchases.ts'
import { continueCandles } from '../src/views/live-candle.ts'

const BEGIN = 1_790_000_000
const rows = [
  { time: BEGIN - 3_600, open: 1, high: 2, low: 0.5, close: 1.5, volume: 7, count: 4 },
  { time: BEGIN, open: 1.5, high: 1.6, low: 1.4, close: 1.55, volume: 3, count: 2 },
]
const HOURS: CandleChoice = { bucket: '1h', currency: 'USD' }
const price = (seconds: number, usd: string | null, etn: string | null = null) => ({
  usd,
  etn,
  at: (BEGIN + seconds) * 1_000,
})

test('the newest candle ends at the live price', () => {
  expect(continueCandles(rows, price(60, '1.7'), HOURS)).toEqual({ ...rows[1], high: 1.7, close: 1.7 })
  expect(continueCandles(rows, price(3_599, '1.3'), HOURS)).toEqual({ ...rows[1], low: 1.3, close: 1.3 })
})

test('a price after its end begins another candle where that one ended', () => {
  const next = { time: BEGIN + 7_200, open: 1.55, high: 1.55, low: 1.2, close: 1.2, volume: 0, count: 0 }
  expect(continueCandles(rows, price(7_201, '1.2'), HOURS)).toEqual(next)
})

test('a chart in ETN ends at the price in ETN', () => {
  expect(continueCandles(rows, price(60, '1.7', '1.58'), { ...HOURS, currency: 'ETN' })?.close).toBe(1.58)
})

test.each([
  ['there is no price yet', rows, undefined],
  ['the token has no price', rows, price(60, null)],
  ['the price is older than the candle', rows, price(-1, '1.7')],
  ['there are no candles', [], price(60, '1.7')],
])('candles stay as they are where %s', (_, candles, known) => {
  expect(continueCandles(candles, known, HOURS)).toBeUndefined()
})
