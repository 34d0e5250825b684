import { expect } from 'vitest'
import type { Candle } from '../../../src/generated/types.ts'
import type { ask } from '../setup.ts'

export const SECONDS = { '1m': 60, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const
export type Bucket = keyof typeof SECONDS
export const BUCKETS = Object.keys(SECONDS) as Bucket[]

/** Candles of each bucket that are compared. */
export const MANY: Record<Bucket, number> = { '1m': 120, '15m': 100, '1h': 60, '4h': 30, '1d': 50 }
export const FEW: Record<Bucket, number> = { '1m': 6, '15m': 8, '1h': 6, '4h': 6, '1d': 6 }

/** Checks that all routes agree on the price of a token. Returns it, and the closed hours of both currencies. */
export async function expectAgreement({ fake, get }: ReturnType<typeof ask>, token: string, limits = MANY) {
  const now = Math.floor(fake.now() / 1_000)
  const { address: _, ...spot } = await get(`/prices/52014/${token}`)
  expect((await get(`/prices/52014?addresses=${token}`))[token.toLowerCase()] ?? {}).toEqual(spot)
  const { usd, etn } = await get(`/tokens/52014/${token}`)
  expect([usd, etn]).toEqual([spot.usd, spot.etn])
  if (usd !== undefined) expect(Number(usd) / Number(etn) / Number((await get('/prices/etn')).usd)).toBeCloseTo(1, 9)
  const closed = new Map<string, Candle>()
  for (const currency of ['USD', 'ETN'] as const) {
    const price: string | undefined = spot[currency === 'USD' ? 'usd' : 'etn']
    const path = `/tokens/52014/${token}`
    const day = await get(`${path}/history?duration=DAY&currency=${currency}`)
    if (price !== undefined) expect(day.prices.at(-1)).toEqual({ timestamp: now, value: Number(price) })
    let shorter: Candle[] = []
    for (const bucket of BUCKETS) {
      const query = `bucket=${bucket}&currency=${currency}&limit=${limits[bucket]}`
      const candles: Candle[] = await get(`${path}/candles?${query}`)
      const isValid = ({ open, high, low, close }: Candle) =>
        high >= Math.max(open, close) && low <= Math.min(open, close) && low > 0
      expect(candles.filter((candle) => !isValid(candle))).toEqual([])
      const last = { time: now - (now % SECONDS[bucket]), close: Number(price) }
      if (price !== undefined) expect(candles.at(-1), `${bucket} ${currency}`).toMatchObject(last)
      expectWithin(candles, shorter)
      shorter = candles
      if (bucket === '15m') {
        const inDay = candles.filter(({ time }) => time >= (day.prices[0]?.timestamp ?? now))
        expect(inDay.filter(({ high, low }) => high > day.high || low < day.low)).toEqual([])
      }
      if (bucket !== '1h') continue
      for (const candle of candles) if (candle.time + 3_600 <= now) closed.set(`${currency} ${candle.time}`, candle)
    }
  }
  return { usd: spot.usd, closed }
}

/** No candle shows a price that the longer one of its time does not show; where all parts are listed, they are the longer one. */
function expectWithin(longer: readonly Candle[], shorter: readonly Candle[]): void {
  for (const [i, long] of longer.entries()) {
    const ends = longer[i + 1]?.time ?? Number.POSITIVE_INFINITY
    const parts = shorter.filter(({ time }) => time >= long.time && time < ends)
    if (parts.length === 0) continue
    expect(Math.max(long.high, ...parts.map(({ high }) => high))).toBe(long.high)
    expect(Math.min(long.low, ...parts.map(({ low }) => low))).toBe(long.low)
    // A page may begin within the longer one.
    if (!shorter[0] || shorter[0].time >= long.time) continue
    expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(long.count)
    const volume = parts.reduce((sum, one) => sum + one.volume, 0)
    expect(volume / (long.volume || 1)).toBeCloseTo(long.volume > 0 ? 1 : 0, 6)
  }
}
