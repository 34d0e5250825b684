import { type Candle, createClient } from 'etn-market'
import { type CandleBucket, closedOnly, fillGaps, mergeCandles, toOhlcv } from 'etn-market/candles'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { testProperty } from '../support/property.ts'

const SECONDS: Readonly<Record<CandleBucket, number>> = {
  '1m': 60,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
}
const HOUR = 3_600

const candleAt = (time: number, close = 0.5, count = 1): Candle => {
  return { time, open: 0.25, high: 1, low: 0.125, close, volume: 12.5, count }
}

const price = fc.oneof(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.constant(1.2345678901234567e-12))
const anyBucket = fc.constantFrom(...(Object.keys(SECONDS) as CandleBucket[]))

/** Candles with gaps, duplicates and in any order, as cells of a grid that begins anywhere. */
const anyCandles = fc
  .tuple(anyBucket, fc.nat(100_000), fc.array(fc.tuple(fc.nat(60), price, fc.nat(9)), { maxLength: 20 }))
  .map(([bucket, from, cells]) => ({
    bucket,
    candles: cells.map(([at, close, count]) => candleAt(from + at * SECONDS[bucket], close, count)),
  }))

testProperty(
  'gaps are filled with the close before them, and nothing else is changed',
  fc.property(anyCandles, ({ bucket, candles }) => {
    const given = structuredClone(candles)
    const filled = fillGaps(candles, bucket)
    expect(candles).toEqual(given)
    // The last of those of one time counts.
    const own = filled.filter((candle) => !candle.filled).map(({ filled: _, ...candle }) => candle)
    expect(own).toEqual([...new Map(candles.map((one) => [one.time, one])).values()].sort((a, b) => a.time - b.time))
    for (const [index, candle] of filled.entries()) {
      const before = filled[index - 1]
      if (before !== undefined) expect(candle.time - before.time).toBe(SECONDS[bucket])
      if (!candle.filled) continue
      const close = before?.close
      expect(candle).toEqual({
        time: candle.time,
        ...{ open: close, high: close, low: close, close },
        volume: 0,
        count: 0,
        filled: true,
      })
    }
    expect(fillGaps(filled, bucket).map(({ time }) => time)).toEqual(filled.map(({ time }) => time))
  }),
  { cases: 200 },
)

testProperty(
  'a candle is left out while its period is not over, at any moment of it',
  fc.property(anyCandles, fc.nat(200_000), fc.nat(999), ({ bucket, candles }, seconds, ms) => {
    const now = 1_000 * seconds + ms
    const kept = new Set(closedOnly(candles, bucket, now).map(({ time }) => time))
    for (const { time } of candles) expect(kept.has(time)).toBe(1_000 * (time + SECONDS[bucket]) <= now)
  }),
  { cases: 200 },
)

testProperty(
  'rows are those of ccxt, ascending, each time once, and keep every digit',
  fc.property(anyCandles, ({ candles }) => {
    const rows = toOhlcv(candles)
    expect(rows.map(([time]) => time)).toEqual(
      [...new Set(candles.map(({ time }) => 1_000 * time))].sort((one, other) => one - other),
    )
    for (const [ms, open, high, low, close, volume] of rows) {
      const candle = candles.findLast(({ time }) => 1_000 * time === ms)
      expect([open, high, low, close, volume]).toEqual([
        candle?.open,
        candle?.high,
        candle?.low,
        candle?.close,
        candle?.volume,
      ])
    }
  }),
  { cases: 200 },
)

test('no candles, and one alone, have no gaps', () => {
  expect([fillGaps([], '1h'), toOhlcv([]), closedOnly([], '1h', 0), mergeCandles([])]).toEqual([[], [], [], []])
  expect(fillGaps([candleAt(7)], '1h')).toEqual([{ ...candleAt(7), filled: false }])
})

test('candles that begin at other moments than a period later are kept, and no added one overlaps them', () => {
  const times = [0, 2.5 * HOUR, 2.9 * HOUR, 5 * HOUR]
  const filled = fillGaps(
    times.map((time) => candleAt(time)),
    '1h',
  )
  expect(filled.filter((one) => !one.filled).map(({ time }) => time)).toEqual(times)
  expect(filled.filter((one) => one.filled).map(({ time }) => time)).toEqual([HOUR, 3.9 * HOUR])
})

test('a time that is far off ends in an error, and fills no memory', () => {
  expect(() => fillGaps([candleAt(0), candleAt(2 ** 45)], '1m')).toThrow(RangeError)
  // Years of hours are fine.
  expect(fillGaps([candleAt(0), candleAt(5 * 365 * 24 * HOUR)], '1h')).toHaveLength(5 * 365 * 24 + 1)
})

test('an unknown bucket is refused', () => {
  for (const call of [() => fillGaps([], '2h' as '1h'), () => closedOnly([], 3_600 as unknown as '1h', 0)])
    expect(call).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'invalid_option',
        message: expect.stringContaining('1m, 15m'),
      }),
    )
})

test('fields that the service adds stay', () => {
  const candle = { ...candleAt(0), vwap: 0.5 }
  expect(fillGaps([candle], '1h')).toEqual([{ ...candle, filled: false }])
  expect(closedOnly([candle], '1h', 3_600_000)).toEqual([candle])
})

test('an answer of the service has gaps, and its last candle is open', async () => {
  const fake = createFakeService({ seed: 3 })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  onTestFinished(async () => {
    await client.close()
    await fake.close()
  })
  const requestedAt = fake.now()
  const answers = await Promise.all(
    Object.values(fakeTokens).map((address) => client.token.candles({ address, bucket: '1m', limit: 200 })),
  )
  const gaps = answers.map((candles) => fillGaps(candles, '1m').length - candles.length)
  expect(Math.max(...gaps)).toBeGreaterThan(50)
  for (const candles of answers) {
    const times = candles.map(({ time }) => time)
    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other))
    const closed = closedOnly(candles, '1m', requestedAt)
    expect(closed.length).toBeLessThan(candles.length)
    expect(1_000 * ((closed.at(-1)?.time ?? 0) + 60)).toBeLessThanOrEqual(requestedAt)
  }
})
