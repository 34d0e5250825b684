import { describe, expect, it } from 'vitest'
import type { FakeService } from '../../../src/fake/index.ts'
import type { Candle } from '../../../src/generated/types.ts'
import { ask, BOLT, CORE, examplePaths, NOON, WETN } from '../setup.ts'
import { BUCKETS, type Bucket, expectAgreement, SECONDS } from './agreement.ts'
import { DAY, MINE, WORLD } from './own-world.ts'

describe('changed prices', () => {
  const expectCoherent = async (stage: ReturnType<typeof ask>, token: string): Promise<string> =>
    (await expectAgreement(stage, token)).usd

  it('setPrice is exact at once in every route, holds, and leaves closed candles alone', async () => {
    const stage = ask()
    const { fake, get } = stage
    const closed = async () => {
      const before = Math.floor(NOON / 1000)
      const found = await Promise.all(
        BUCKETS.map((bucket) => get(`/tokens/52014/${BOLT}/candles?bucket=${bucket}&limit=500`)),
      )
      return found.flatMap((candles, i) =>
        candles.filter(({ time }: { time: number }) => time + SECONDS[BUCKETS[i]!] <= before).slice(-100),
      )
    }
    const before = await closed()
    fake.world.setPrice(BOLT, '0.019')
    expect(await expectCoherent(stage, BOLT)).toBe('0.019')
    expect(await closed()).toEqual(before)
    const [trade] = await get(`/trades/52014?token=${BOLT}`)
    const [token, etn] = trade.token0 === BOLT ? [trade.amount0, trade.amount1] : [trade.amount1, trade.amount0]
    expect(trade.timestamp).toBe(Math.floor(NOON / 1000))
    expect((Number(trade.usd) / Number(etn)) * (Number(etn) / Number(token))).toBeCloseTo(0.019, 9)
    fake.advance(5 * 3_600_000 + 123_000)
    expect(await expectCoherent(stage, BOLT)).toBe('0.019')
    for (const one of await get(`/trades/52014?token=${BOLT}`)) {
      const amount = one.token0 === BOLT ? one.amount0 : one.amount1
      if (one.timestamp > NOON / 1000) expect(Number(one.usd) / Number(amount)).toBeCloseTo(0.019, 9)
    }
    fake.advance(40 * DAY)
    expect(await expectCoherent(stage, BOLT)).toBe('0.019')
  })

  it('setPrice with overMs moves the price in a straight line', async () => {
    const stage = ask()
    const { fake } = stage
    fake.world.setPrice(BOLT, '0.02')
    fake.world.setPrice(BOLT, '0.03', { overMs: 3_600_000 })
    expect(await expectCoherent(stage, BOLT)).toBe('0.02')
    fake.advance(1_800_000)
    expect(Number(await expectCoherent(stage, BOLT))).toBeCloseTo(0.025, 12)
    fake.advance(1_800_000)
    expect(await expectCoherent(stage, BOLT)).toBe('0.03')
    fake.advance(7_200_000)
    expect(await expectCoherent(stage, BOLT)).toBe('0.03')
  })

  it('pools, locks and farms follow a changed price', async () => {
    const { fake, get } = ask()
    const [farm] = (await get('/farms/52014')).filter((one: { token0: string; token1: string }) =>
      [one.token0, one.token1].includes(BOLT),
    )
    const usd = Number((await get(`/prices/52014/${BOLT}`)).usd)
    fake.world.setPrice(BOLT, (usd * 3).toFixed(18))
    const etn = Number((await get('/prices/etn')).usd)
    for (const lock of await get(`/tokens/52014/${BOLT}/liquidity-locks`)) {
      const [amount, inEtn] = lock.token0 === BOLT ? ['amountToken0', 'amountToken1'] : ['amountToken1', 'amountToken0']
      expect((Number(lock[amount]) * usd * 3) / (Number(lock[inEtn]) * etn)).toBeCloseTo(1, 6)
    }
    const after = (await get('/farms/52014')).find((one: { poolAddr: string }) => one.poolAddr === farm.poolAddr)
    expect(after.tvl / farm.tvl).toBeCloseTo(3, 4)
  })

  it.each([
    ['the lowest', '0.000000000000000001'],
    ['the highest', '1000000000000'],
  ])('with %s price every route answers, and no pool holds more than all WETN', async (_, usd) => {
    for (const token of [BOLT, WETN]) {
      const { fake, get, request } = ask()
      fake.world.setPrice(token, usd)
      const own = ask({ world: { tokens: [{ address: token, usd, totalSupply: 1e9 }] } })
      for (const path of Object.values(await examplePaths(fake))) {
        for (const answer of [await request(path), await own.request(path)]) {
          expect(answer.status, path).toBe(200)
          expect(await answer.text(), path).not.toMatch(/NaN|Infinity|\de\+/)
        }
      }
      for (const stage of [get, own.get]) {
        const etn = Number((await stage('/prices/etn')).usd)
        const { totalSupply } = await stage(`/tokens/52014/${WETN}`)
        for (const { tvl } of await stage('/farms/52014'))
          expect(tvl / etn / 2).toBeLessThan(Math.max(totalSupply, 184e6))
      }
    }
  })

  it('release gives the computed price back, and a fixed own token its own price', async () => {
    const stage = ask({ world: WORLD })
    const { fake, get } = stage
    const price = await get(`/prices/52014/${CORE}`)
    fake.world.setPrice(CORE, '99')
    fake.world.setPrice(MINE, '1')
    fake.world.release(CORE)
    fake.world.release(MINE)
    expect(await get(`/prices/52014/${CORE}`)).toEqual(price)
    expect(await expectCoherent(stage, MINE)).toBe('0.019')
    fake.advance(3_600_000)
    await expectCoherent(stage, CORE)
  })

  it('unprice takes the price away and leaves the past', async () => {
    const stage = ask()
    const { fake, get } = stage
    const before = await get(`/tokens/52014/${BOLT}/candles?bucket=1h&limit=5`)
    fake.world.unprice(BOLT)
    expect(await get(`/prices/52014/${BOLT}`)).toEqual({ address: BOLT })
    expect(await get(`/prices/52014?addresses=${BOLT}`)).toEqual({})
    fake.advance(2 * 3_600_000)
    expect((await get(`/tokens/52014/${BOLT}/candles?bucket=1h&limit=5`)).slice(0, 4)).toEqual(before.slice(0, 4))
    const [trade] = await get(`/trades/52014?token=${BOLT}`)
    expect(trade.timestamp).toBeLessThanOrEqual(NOON / 1000)
    expect(() => fake.world.setPrice(BOLT, '1', { overMs: 1 })).toThrow('BOLT has no price that could move')
    fake.world.setPrice(BOLT, '1')
    expect(await expectCoherent(stage, BOLT)).toBe('1')
  })

  it('trade adds a trade to the list, the candle and the volume', async () => {
    const stage = ask()
    const { fake, get } = stage
    const candle = async () => (await get(`/tokens/52014/${BOLT}/candles?bucket=1m&limit=1`))[0]
    const before = await candle()
    fake.world.trade({ token: BOLT, usd: '500' })
    const after = await candle()
    expect(after.count).toBe(before.count + 1)
    expect(after.volume).toBeCloseTo(before.volume + 500, 9)
    expect((await get('/trades/52014?limit=1'))[0]).toMatchObject({ usd: '500', timestamp: Math.floor(NOON / 1000) })
    await expectCoherent(stage, BOLT)
  })

  it('setPrice of WETN sets the price of ETN, and all other prices in USD follow', async () => {
    const stage = ask()
    const { fake, get } = stage
    const before = await get(`/prices/52014/${BOLT}`)
    fake.world.setPrice(WETN, '0.005')
    expect(await get('/prices/etn')).toEqual({ usd: '0.005' })
    expect(await get(`/prices/52014/${WETN}`)).toMatchObject({ usd: '0.005', etn: '1' })
    const after = await get(`/prices/52014/${BOLT}`)
    expect(after.etn).toBe(before.etn)
    expect(Number(after.usd)).toBeCloseTo(Number(before.etn) * 0.005, 12)
    await expectCoherent(stage, BOLT)
    fake.advance(3_600_000)
    await expectCoherent(stage, BOLT)
    await expectCoherent(stage, WETN)
  })

  it('candles replaces rows exactly; longer buckets, the history and the trades add up from them', async () => {
    const stage = ask()
    const { fake, get } = stage
    const hour = Math.floor(NOON / 3_600_000) * 3_600
    const row = (time: number, i: number) => ({
      time,
      open: 1 + i,
      high: 3.3 + i,
      low: 0.7 + i,
      close: 2 + i,
      volume: 1234.5678,
      count: 130,
    })
    const rows = [3, 2, 1].map((back, i) => row(hour - back * 3_600, i))
    fake.world.candles(BOLT, '1h', [...rows, row(hour, 5)])
    const hours = await get(`/tokens/52014/${BOLT}/candles?bucket=1h&limit=4`)
    expect(hours.slice(0, 3)).toEqual(rows)
    expect(hours[3]).toMatchObject({ open: 6, high: 8.3, low: 5.7, close: 7 })
    expect(await expectCoherent(stage, BOLT)).toBe('7')
    const [long] = await get(`/tokens/52014/${BOLT}/candles?bucket=4h&limit=1`)
    expect(long.high).toBeGreaterThanOrEqual(8.3)
    const minutes = await get(`/tokens/52014/${BOLT}/candles?bucket=1m&limit=500`)
    const first = minutes.filter(({ time }: { time: number }) => time >= hour - 10_800 && time < hour - 7_200)
    expect(first.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(130)
    expect(Math.max(...first.map(({ high }: { high: number }) => high))).toBe(3.3)
    expect(Math.min(...first.map(({ low }: { low: number }) => low))).toBe(0.7)
    const { high, low } = await get(`/tokens/52014/${BOLT}/history?duration=DAY`)
    expect([high, low <= 0.7]).toEqual([8.3, true])
  })

  it('a change within a period joins what was before it and what is after it, with every trade once', async () => {
    const [trade] = await ask().get(`/trades/52014?token=${BOLT}&limit=1`)
    const { fake, get } = ask({ clock: { now: () => trade.timestamp * 1_000 } })
    const newest = async (bucket: string) => (await get(`/tokens/52014/${BOLT}/candles?bucket=${bucket}&limit=1`))[0]
    const before = await newest('1m')
    // In the second of a trade, which has the price before.
    fake.world.setPrice(BOLT, '0.9')
    expect(await newest('1m')).toEqual({
      ...before,
      high: 0.9,
      close: 0.9,
      count: before.count + 1,
      volume: expect.closeTo(before.volume + 1, 9),
    })
    const after = await newest('15m')
    await fake.advance(3_600_000)
    const found = await get(`/tokens/52014/${BOLT}/candles?bucket=15m&limit=5`)
    expect(found.find(({ time }: Candle) => time === after.time)).toMatchObject({ open: after.open, close: 0.9 })
  })

  it('the price before a change counts to the end of the period, without a trade too', async () => {
    const { fake, get } = ask()
    const { usd } = await get(`/prices/52014/${CORE}`)
    fake.world.setPrice(CORE, '0.9')
    await fake.advance(1_000)
    fake.world.release(CORE)
    await fake.advance(3_600_000)
    const minutes = await get(`/tokens/52014/${CORE}/candles?bucket=1m&limit=100`)
    const minute = minutes.find(({ time }: Candle) => time === Math.floor(NOON / 60_000) * 60)
    expect(minute).toMatchObject({ open: Number(usd), high: 0.9, close: Number(usd) })
  })

  const ROW: Candle = { time: 0, open: 1, high: 1, low: 1, close: 1, volume: 0, count: 0 }
  /** Replaces rows that are right but for the given fields. */
  const rows = (bucket: Bucket, ...given: Partial<Candle>[]) => {
    const made = given.map((fields) => ({ ...ROW, ...fields }))
    return (fake: FakeService) => fake.world.candles(BOLT, bucket, made)
  }

  it.each<[message: string, change: (fake: FakeService) => void]>([
    ['token is a token of the world', (fake) => fake.world.setPrice(MINE, '1')],
    ['usd is a decimal above 0', (fake) => fake.world.setPrice(BOLT, '0')],
    ['overMs is a number from 0', (fake) => fake.world.setPrice(BOLT, '1', { overMs: -1 })],
    ['setPrice knows no option "over"', (fake) => fake.world.setPrice(BOLT, '1', { over: 1 } as object)],
    ['token is the other token', (fake) => fake.world.trade({ token: WETN, usd: '1' })],
    ['bucket is one of 1m, 15m', (fake) => fake.world.candles(BOLT, '2h' as '1h', [])],
    ['rows[0].time is the start of a period of 1h', rows('1h', { time: 7 })],
    ['rows[1].time occurs twice', rows('1h', {}, {})],
    ['rows[0].high is at least', rows('1h', { close: 2 })],
    ['rows[0].time is in the future', rows('1d', { time: 86_400 * 40_000 })],
  ])('rejects a mistake: %s', (message, change) => {
    expect(() => change(ask().fake)).toThrow(message)
  })
})
