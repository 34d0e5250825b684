import { describe, expect, it } from 'vitest'
import type { FakeCandle, WorldOptions } from '../../../src/fake/index.ts'
import { checksumAddress } from '../../../src/utils/address.ts'
import { BOLT, examplePaths, NOON, USDC, WETN } from '../setup.ts'
import { ask } from './ask.ts'

const address = (digit: string) => checksumAddress(`0x${digit.repeat(40)}`)
const MINE = address('a')
const SALE = address('b')
const POOL = address('c')
const ART = address('d')
const WALLET = address('e')
const DAY = 86_400_000

const WORLD: WorldOptions = {
  tokens: [
    { address: MINE, symbol: 'MINE', decimals: 6, totalSupply: 1e6, usd: '0.019' },
    { address: BOLT, usd: 5 },
    { address: USDC },
  ],
  pools: [{ address: POOL, version: 3, token0: MINE, token1: USDC }],
  balances: { [WALLET]: { [MINE]: '5000000' } },
  locks: { [MINE]: [{ percentSupply: 40, unlocksInMs: DAY }] },
  nftCollections: [
    {
      address: ART,
      name: 'Art',
      symbol: 'ART',
      totalSupply: 3,
      stats: { floorPrice: 7, listingCount: 1 },
      assets: [{ tokenId: '1', traits: [{ name: 'Hat', value: 'Red', rarity: 0.5 }] }],
    },
  ],
  presales: [{ pool: address('1'), token: { address: SALE, symbol: 'SALE' }, startsInMs: DAY, endsInMs: 2 * DAY }],
  farms: [{ poolAddr: POOL, tvl: 1_000, baseRewardApy: 12 }],
}

/** A presale that is right but for the given fields. */
function saleOf({ decimals = 18, ...fields }: { decimals?: number; token?: { address: string; symbol: string } } = {}) {
  return { pool: POOL, token: { address: SALE, symbol: 'SALE', decimals }, startsInMs: 0, endsInMs: DAY, ...fields }
}

/** A collection with two assets at most. */
function artOf(tokenIds: string[] = []) {
  return { address: ART, name: 'Art', symbol: 'ART', totalSupply: 2, assets: tokenIds.map((tokenId) => ({ tokenId })) }
}

describe('the world option', () => {
  it.each([false, true])(
    'adds tokens, pools, balances, locks, collections, presales and farms (only: %s)',
    async (only) => {
      const { get } = ask({ world: { ...WORLD, only } })
      const tokens = (await get('/tokens/52014?limit=100')).map(({ symbol }: { symbol: string }) => symbol)
      if (only) expect(tokens.sort()).toEqual(['BOLT', 'MINE', 'USDC', 'WETN'])
      else expect(tokens).toHaveLength(100)
      expect(tokens).toContain('MINE')
      expect(await get(`/tokens/52014/${MINE}`)).toMatchObject({
        symbol: 'MINE',
        decimals: 6,
        totalSupply: 1e6,
        usd: '0.019',
      })
      expect(await get(`/tokens/52014/${BOLT}`)).toMatchObject({ symbol: 'BOLT', decimals: 18, usd: '5' })
      expect((await get(`/prices/52014?addresses=${MINE}`))[MINE.toLowerCase()].usd).toBe('0.019')
      expect(await get(`/balances/52014/${WALLET}`)).toMatchObject({ balances: { [MINE]: { balance: '0x4c4b40' } } })
      expect((await get('/nft/collections/52014?limit=50'))[0]).toMatchObject({ address: ART, totalSupply: 3 })
      expect(await get(`/nft/collections/52014/${ART}`)).toMatchObject({ stats: { floorPrice: 7, uniqueOwners: 1 } })
      expect(await get(`/nft/collections/52014/${ART}/assets`)).toMatchObject([{ tokenId: '1', name: 'Art #1' }])
      expect((await get('/nft/stats')).collections[0]).toMatchObject({ address: ART, floorPrice: 7 })
      expect((await get('/farms/52014'))[0]).toMatchObject({
        id: 1,
        poolAddr: POOL,
        tvl: 1_000,
        baseRewardApy: 12,
        active: true,
      })
    },
    10_000,
  )

  it('lists the pool of the user, and a pool with WETN for a token without one', async () => {
    const { get } = ask({ world: { ...WORLD, only: true } })
    expect((await get('/pools/52014?limit=100&version=3'))[0]).toMatchObject({ address: POOL, version: 3 })
    const pools = await get('/pools/52014?limit=100')
    const pairs = pools.map(({ token0, token1 }: Record<string, { symbol: string }>) => [
      token0?.symbol,
      token1?.symbol,
    ])
    expect(pairs.every((pair: string[]) => pair.includes('WETN'))).toBe(true)
    expect(pairs.flat()).toContain('MINE')
  })

  it('locks end on time, and are visible from both tokens with amounts below the supply', async () => {
    const { fake, get } = ask({ world: WORLD })
    const [lock, ...rest] = await get(`/tokens/52014/${MINE}/liquidity-locks`)
    expect(rest).toEqual([])
    expect(lock).toMatchObject({ percentSupply: 40, active: true })
    expect(lock.created + lock.duration).toBe((fake.now() + DAY) / 1000)
    expect(await get(`/tokens/52014/${WETN}/liquidity-locks`)).toContainEqual(lock)
    const amount = lock.token0 === MINE ? lock.amountToken0 : lock.amountToken1
    expect(Number(amount)).toBeLessThan(1e6 * 1e6)
    fake.advance(DAY)
    expect((await get(`/tokens/52014/${MINE}/liquidity-locks`))[0].active).toBe(false)
  })

  it('a presale opens, launches on its date, and then its token and pool are listed', async () => {
    const { fake, get, request } = ask({ world: { ...WORLD, only: true } })
    const presale = async () => (await get('/presales/52014'))[0]
    expect(await presale()).toMatchObject({
      status: 'PENDING',
      campaign: { etnRaised: 0 },
      token: { liquidityPool: null },
    })
    expect((await request(`/tokens/52014/${SALE}`)).status).toBe(404)
    fake.advance(1.5 * DAY)
    expect(await presale()).toMatchObject({ status: 'ACTIVE', campaign: { etnRaised: 60_000 } })
    fake.advance(DAY / 2)
    const { status, token, campaign } = await presale()
    expect([status, campaign.etnRaised]).toEqual(['LAUNCHED', 120_000])
    expect((await get('/pools/52014')).map((pool: { address: string }) => pool.address)).toContain(token.liquidityPool)
    expect(Number((await get(`/prices/52014/${SALE}`)).usd)).toBeGreaterThan(0)
    expect((await get('/tokens/52014')).map((one: { symbol: string }) => one.symbol)).toContain('SALE')
  })

  it('a presale that raises too little fails, and its token is never listed', async () => {
    const { fake, get, request } = ask({ world: { presales: [{ ...saleOf(), etnRaised: 99_999 }] } })
    fake.advance(2 * DAY)
    expect(await get(`/presales/52014/${POOL}`)).toMatchObject({
      status: 'FAILED',
      token: { liquidityPool: null },
      campaign: { etnRaised: 99_999, minEtnToLaunch: 100_000 },
    })
    expect((await request(`/tokens/52014/${SALE}`)).status).toBe(404)
  })

  it('a lock in a pool of two tokens is below the supply of both, at the same value', async () => {
    const RARE = address('f')
    const { get } = ask({
      world: {
        tokens: [{ address: RARE, symbol: 'RARE', decimals: 0, totalSupply: 1_000, usd: 3 }],
        pools: [{ address: POOL, token0: BOLT, token1: RARE }],
        locks: { [RARE]: [{ percentSupply: 100, unlocksInMs: DAY, pair: POOL }] },
      },
    })
    const [lock] = await get(`/tokens/52014/${RARE}/liquidity-locks`)
    expect([lock.token0, lock.token1]).toEqual([BOLT, RARE])
    expect(Number(lock.amountToken1)).toBeGreaterThan(0)
    expect(Number(lock.amountToken1)).toBeLessThanOrEqual(1_000)
    const { usd } = await get(`/prices/52014/${BOLT}`)
    expect((Number(lock.amountToken0) / 1e18) * usd).toBeCloseTo(3 * Number(lock.amountToken1), -1)
  })

  it('own entries are in the largest page of each list, beside the built-in ones', async () => {
    const { get } = ask({ world: { ...WORLD, presales: [saleOf()], tokenCount: 150 } })
    const pages = {
      '/tokens/52014?limit=100': ['address', MINE],
      '/pools/52014?limit=100&version=3': ['address', POOL],
      '/nft/collections/52014?limit=50': ['address', ART],
      '/presales/52014?limit=50': ['pool', POOL],
      '/farms/52014': ['poolAddr', POOL],
    }
    for (const [path, [field = '', value]] of Object.entries(pages)) {
      const page: Record<string, unknown>[] = await get(path)
      expect(page.length, path).toBeGreaterThan(10)
      expect(
        page.map((one) => one[field]),
        path,
      ).toContain(value)
    }
  })

  it('tokenCount makes a larger world, whose first page still has the own and the real tokens', async () => {
    const { get } = ask({ world: { ...WORLD, tokenCount: 150 } })
    const page = (await get('/tokens/52014?limit=100')).map(({ symbol }: { symbol: string }) => symbol)
    for (const symbol of ['MINE', 'BOLT', 'WETN', 'USDC']) expect(page).toContain(symbol)
    expect(
      Object.keys((await get('/balances/52014/0xFeEdBeEf00000000000000000000000000000001?limit=200')).balances),
    ).toHaveLength(150)
  })

  it.each<[string, unknown, string]>([
    ['an unknown field', { token: [] }, 'world knows no option "token". It takes: tokens, pools'],
    [
      'an unknown field of an entry',
      { tokens: [{ address: MINE, symbol: 'M', price: 1 }] },
      'world.tokens[0] knows no option "price"',
    ],
    ['a wrong address', { tokens: [{ address: '0x1', symbol: 'M' }] }, 'world.tokens[0].address is an address'],
    ['a missing symbol', { tokens: [{ address: MINE }] }, 'world.tokens[0].symbol is a text'],
    [
      'wrong decimals',
      { tokens: [{ address: MINE, symbol: 'M', decimals: 1.5 }] },
      'world.tokens[0].decimals is a whole number',
    ],
    [
      'a wrong price',
      { tokens: [{ address: MINE, symbol: 'M', usd: '-1' }] },
      'world.tokens[0].usd is a decimal above 0',
    ],
    ['a token twice', { tokens: [{ address: BOLT }, { address: BOLT }] }, 'world.tokens[1].address occurs twice'],
    [
      'a balance of an unknown token',
      { balances: { [WALLET]: { [MINE]: '1' } } },
      `world.balances[${WALLET}][${MINE}] is a balance of a token of the world`,
    ],
    [
      'a balance in whole tokens',
      { balances: { [WALLET]: { [BOLT]: '1.5' } } },
      'is a whole amount in the smallest unit',
    ],
    ['a lock of an unknown token', { locks: { [MINE]: [] } }, `world.locks[${MINE}] is for a token of the world`],
    [
      'locks above 100 per cent',
      {
        locks: {
          [BOLT]: [
            { percentSupply: 60, unlocksInMs: 1 },
            { percentSupply: 41, unlocksInMs: 1 },
          ],
        },
      },
      'adds up to 101, above 100',
    ],
    [
      'locks of both tokens of a pool above 100 per cent',
      {
        tokens: [{ address: MINE, symbol: 'MINE', usd: 1 }],
        pools: [{ address: POOL, token0: MINE, token1: USDC }],
        locks: Object.fromEntries(
          [MINE, USDC].map((one) => [one, [{ percentSupply: 51, unlocksInMs: 1, pair: POOL }]]),
        ),
      },
      `world.locks[${USDC}]: percentSupply of the active locks of a pool adds up to 102, above 100`,
    ],
    [
      'a floor price without a listing',
      { nftCollections: [{ ...artOf(), stats: { floorPrice: 1, listingCount: 0 } }] },
      'world.nftCollections[0].stats.floorPrice is null without a listing',
    ],
    ['too many tokens', { tokenCount: 10_001 }, 'world.tokenCount is a number from 0 to 10000, not 10001'],
    [
      'a balance above the supply',
      {
        tokens: [{ address: MINE, symbol: 'M', decimals: 2, totalSupply: 10 }],
        balances: { [ART]: { [MINE]: '1001' } },
      },
      `world.balances[${ART}][${MINE}] is at most the supply of the token, 1000 in the smallest unit`,
    ],
    [
      'more owners than assets',
      { nftCollections: [{ ...artOf(), totalSupply: 2, stats: { uniqueOwners: 3 } }] },
      'world.nftCollections[0].stats.uniqueOwners is at most totalSupply: 3 are above 2',
    ],
    [
      'a pool at the address of a token',
      { tokens: [{ address: MINE, symbol: 'M' }], pools: [{ address: MINE, token0: MINE, token1: USDC }] },
      'world.pools[0].address is an address without a token',
    ],
    [
      'a pool of an unknown token',
      { pools: [{ address: POOL, token0: MINE, token1: BOLT }] },
      'world.pools[0].token0 is a token of the world',
    ],
    ['a farm of an unknown pool', { farms: [{ poolAddr: POOL }] }, 'world.farms[0].poolAddr is a pool of the world'],
    [
      'a presale that ends before it starts',
      { presales: [{ pool: POOL, token: { address: SALE, symbol: 'S' }, startsInMs: 2, endsInMs: 1 }] },
      'world.presales[0].endsInMs is later',
    ],
    [
      'a collection without a name',
      { nftCollections: [{ address: ART, symbol: 'A', totalSupply: 1 }] },
      'world.nftCollections[0].name is a text',
    ],
    [
      'a rarity of 2',
      {
        nftCollections: [
          {
            address: ART,
            name: 'A',
            symbol: 'A',
            totalSupply: 1,
            assets: [{ tokenId: '1', traits: [{ name: 'a', value: 'b', rarity: 2 }] }],
          },
        ],
      },
      'world.nftCollections[0].assets[0].traits[0].rarity is a number from 0 to 1',
    ],
    ['a list', [], 'world takes an object'],
    ['null', null, 'world takes an object'],
    [
      'two pools with one address',
      { pools: [2, 3].map((version) => ({ address: POOL, version, token0: BOLT, token1: USDC })) },
      `world.pools[1].address occurs twice: ${POOL}`,
    ],
    [
      'two presales with one pool',
      { presales: ['a', 'b'].map((digit) => saleOf({ token: { address: address(digit), symbol: digit } })) },
      'world.presales[1].pool occurs twice',
    ],
    [
      'too many decimals of a presale',
      { presales: [saleOf({ decimals: 99 })] },
      'presales[0].token.decimals is a number',
    ],
    [
      'a presale of a token that is listed',
      { presales: [saleOf({ token: { address: WETN, symbol: 'WETN' } })] },
      `world.presales[0].token.address is a new token, which its launch lists, not ${WETN}`,
    ],
    [
      'a price beyond bounds',
      { tokens: [{ address: WETN, usd: `1${'0'.repeat(20)}` }] },
      'world.tokens[0].usd is from 0.000000000000000001 to 1000000000000',
    ],
    [
      'two collections with one address',
      { nftCollections: [artOf(), artOf()] },
      'world.nftCollections[1].address occurs',
    ],
    [
      'an asset twice',
      { nftCollections: [artOf(['1', '1'])] },
      'world.nftCollections[0].assets[1].tokenId occurs twice: 1',
    ],
    [
      'more assets than the collection has',
      { nftCollections: [artOf(['1', '2', '3'])] },
      'world.nftCollections[0].assets lists at most totalSupply assets: 3 are above 2',
    ],
    ['no boolean for only', { only: 1 }, 'world.only is true or false'],
  ])('rejects %s', (_, world, message) => {
    expect(() => ask({ world: world as WorldOptions })).toThrow(message)
  })
})

describe('changed prices', () => {
  const SECONDS = { '1m': 60, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const
  type Bucket = keyof typeof SECONDS
  const BUCKETS = Object.keys(SECONDS) as Bucket[]
  /** Candles of each bucket that are compared: the days before the changes of a test are those of the seed. */
  const LIMITS: Record<Bucket, number> = { '1m': 500, '15m': 500, '1h': 200, '4h': 60, '1d': 50 }

  /** Expects that every route gives the same price, and that candles of all buckets and the history agree. */
  async function expectCoherent(get: ReturnType<typeof ask>['get'], token: string): Promise<string> {
    const { usd, etn } = await get(`/prices/52014/${token}`)
    const rate = Number((await get('/prices/etn')).usd)
    expect(Number(usd) / Number(etn) / rate).toBeCloseTo(1, 10)
    expect((await get(`/prices/52014?addresses=${token}`))[token.toLowerCase()]).toEqual({ usd, etn })
    expect(await get(`/tokens/52014/${token}`)).toMatchObject({ usd, etn })
    for (const currency of ['USD', 'ETN']) {
      const spot = Number(currency === 'USD' ? usd : etn)
      const all = new Map<Bucket, FakeCandle[]>()
      for (const bucket of BUCKETS) {
        const candles = await get(
          `/tokens/52014/${token}/candles?bucket=${bucket}&currency=${currency}&limit=${LIMITS[bucket]}`,
        )
        all.set(bucket, candles)
        expect(candles.at(-1).close, `${bucket} ${currency}`).toBe(spot)
        const isValid = ({ open, high, low, close }: FakeCandle) =>
          high >= Math.max(open, close) && low <= Math.min(open, close)
        expect(candles.filter((candle: FakeCandle) => !isValid(candle))).toEqual([])
      }
      const quarters = all.get('15m') ?? []
      for (const long of (all.get('4h') ?? []).filter(({ time }) => time >= (quarters[0]?.time ?? 0)).slice(-6)) {
        const parts = quarters.filter(({ time }) => time >= long.time && time < long.time + 14_400)
        expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(long.count)
        expect(parts.reduce((sum, { volume }) => sum + volume, 0) / (long.volume || 1)).toBeCloseTo(
          long.count ? 1 : 0,
          6,
        )
        expect(parts.filter(({ high, low }) => high > long.high || low < long.low)).toEqual([])
      }
      const day = await get(`/tokens/52014/${token}/history?duration=DAY&currency=${currency}`)
      expect(day.prices.at(-1).value).toBe(spot)
      const inDay = quarters.filter(({ time }) => time >= day.prices[0].timestamp)
      expect(inDay.filter(({ high, low }) => high > day.high || low < day.low)).toEqual([])
    }
    return usd
  }

  it('setPrice is exact at once in every route, holds, and leaves closed candles alone', async () => {
    const { fake, get } = ask()
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
    expect(await expectCoherent(get, BOLT)).toBe('0.019')
    expect(await closed()).toEqual(before)
    const [trade] = await get(`/trades/52014?token=${BOLT}`)
    const [token, etn] = trade.token0 === BOLT ? [trade.amount0, trade.amount1] : [trade.amount1, trade.amount0]
    expect(trade.timestamp).toBe(Math.floor(NOON / 1000))
    expect((Number(trade.usd) / Number(etn)) * (Number(etn) / Number(token))).toBeCloseTo(0.019, 9)
    fake.advance(5 * 3_600_000 + 123_000)
    expect(await expectCoherent(get, BOLT)).toBe('0.019')
    for (const one of await get(`/trades/52014?token=${BOLT}`)) {
      const amount = one.token0 === BOLT ? one.amount0 : one.amount1
      if (one.timestamp > NOON / 1000) expect(Number(one.usd) / Number(amount)).toBeCloseTo(0.019, 9)
    }
    fake.advance(40 * DAY)
    expect(await expectCoherent(get, BOLT)).toBe('0.019')
  })

  it('setPrice with overMs moves the price in a straight line', async () => {
    const { fake, get } = ask()
    fake.world.setPrice(BOLT, '0.02')
    fake.world.setPrice(BOLT, '0.03', { overMs: 3_600_000 })
    expect(await expectCoherent(get, BOLT)).toBe('0.02')
    fake.advance(1_800_000)
    expect(Number(await expectCoherent(get, BOLT))).toBeCloseTo(0.025, 12)
    fake.advance(1_800_000)
    expect(await expectCoherent(get, BOLT)).toBe('0.03')
    fake.advance(7_200_000)
    expect(await expectCoherent(get, BOLT)).toBe('0.03')
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
    const { fake, get } = ask({ world: WORLD })
    const core = '0x309B916b3A90cb3E071697Ea9680e9217A30066f'
    const price = await get(`/prices/52014/${core}`)
    fake.world.setPrice(core, '99')
    fake.world.setPrice(MINE, '1')
    fake.world.release(core)
    fake.world.release(MINE)
    expect(await get(`/prices/52014/${core}`)).toEqual(price)
    expect(await expectCoherent(get, MINE)).toBe('0.019')
    fake.advance(3_600_000)
    await expectCoherent(get, core)
  })

  it('unprice takes the price away and leaves the past', async () => {
    const { fake, get } = ask()
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
    expect(await expectCoherent(get, BOLT)).toBe('1')
  })

  it('trade adds a trade to the list, the candle and the volume', async () => {
    const { fake, get } = ask()
    const candle = async () => (await get(`/tokens/52014/${BOLT}/candles?bucket=1m&limit=1`))[0]
    const before = await candle()
    fake.world.trade({ token: BOLT, usd: '500' })
    const after = await candle()
    expect(after.count).toBe(before.count + 1)
    expect(after.volume).toBeCloseTo(before.volume + 500, 9)
    expect((await get('/trades/52014?limit=1'))[0]).toMatchObject({ usd: '500', timestamp: Math.floor(NOON / 1000) })
    await expectCoherent(get, BOLT)
  })

  it('setPrice of WETN sets the price of ETN, and all other prices in USD follow', async () => {
    const { fake, get } = ask()
    const before = await get(`/prices/52014/${BOLT}`)
    fake.world.setPrice(WETN, '0.005')
    expect(await get('/prices/etn')).toEqual({ usd: '0.005' })
    expect(await get(`/prices/52014/${WETN}`)).toMatchObject({ usd: '0.005', etn: '1' })
    const after = await get(`/prices/52014/${BOLT}`)
    expect(after.etn).toBe(before.etn)
    expect(Number(after.usd)).toBeCloseTo(Number(before.etn) * 0.005, 12)
    await expectCoherent(get, BOLT)
    fake.advance(3_600_000)
    await expectCoherent(get, BOLT)
    await expectCoherent(get, WETN)
  })

  it('candles replaces rows exactly; longer buckets, the history and the trades add up from them', async () => {
    const { fake, get } = ask()
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
    expect(await expectCoherent(get, BOLT)).toBe('7')
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

  it.each<[string, (fake: ReturnType<typeof ask>['fake']) => void, string]>([
    ['an unknown token', (fake) => fake.world.setPrice(MINE, '1'), 'token is a token of the world'],
    ['a price of 0', (fake) => fake.world.setPrice(BOLT, '0'), 'usd is a decimal above 0'],
    ['a negative duration', (fake) => fake.world.setPrice(BOLT, '1', { overMs: -1 }), 'overMs is a number from 0'],
    [
      'an unknown option',
      (fake) => fake.world.setPrice(BOLT, '1', { over: 1 } as object),
      'setPrice knows no option "over"',
    ],
    ['a trade of WETN', (fake) => fake.world.trade({ token: WETN, usd: '1' }), 'token is the other token'],
    ['an unknown bucket', (fake) => fake.world.candles(BOLT, '2h' as '1h', []), 'bucket is one of 1m, 15m'],
    [
      'a row beside the bucket',
      (fake) => fake.world.candles(BOLT, '1h', [{ time: 7, open: 1, high: 1, low: 1, close: 1, volume: 0, count: 0 }]),
      'rows[0].time is the start of a period of 1h',
    ],
    [
      'a duplicate row',
      (fake) =>
        fake.world.candles(
          BOLT,
          '1h',
          [0, 0].map((time) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 0, count: 0 })),
        ),
      'rows[1].time occurs twice',
    ],
    [
      'a high below the close',
      (fake) => fake.world.candles(BOLT, '1h', [{ time: 0, open: 1, high: 1, low: 1, close: 2, volume: 0, count: 0 }]),
      'rows[0].high is at least',
    ],
    [
      'a row in the future',
      (fake) =>
        fake.world.candles(BOLT, '1d', [
          { time: 86_400 * 40_000, open: 1, high: 1, low: 1, close: 1, volume: 0, count: 0 },
        ]),
      'rows[0].time is in the future',
    ],
  ])('rejects %s', (_, change, message) => {
    expect(() => change(ask().fake)).toThrow(message)
  })
})
