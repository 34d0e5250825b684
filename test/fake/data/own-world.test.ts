import { describe, expect, it } from 'vitest'
import { fakeWallets, type WorldOptions, type WorldPresaleOptions } from '../../../src/fake/index.ts'
import { ask, BOLT, USDC, WETN } from '../setup.ts'
import { ART, address, DAY, MINE, POOL, SALE, WALLET, WORLD } from './own-world.ts'

/** A presale that is right but for the given fields. */
function saleOf({ decimals = 18, ...fields }: { decimals?: number } & Partial<WorldPresaleOptions> = {}) {
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

  it('own entries and real tokens are in the largest page of each list, of a larger world too', async () => {
    const { get } = ask({ world: { ...WORLD, presales: [saleOf()], tokenCount: 150 } })
    const REAL = ['BOLT', 'WETN', 'USDC']
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
      if (path.startsWith('/tokens')) expect(page.map(({ symbol }) => symbol)).toEqual(expect.arrayContaining(REAL))
    }
    expect(Object.keys((await get(`/balances/52014/${fakeWallets.whale}?limit=200`)).balances)).toHaveLength(150)
  })

  const withToken = (fields: object) => ({ tokens: [{ address: MINE, symbol: 'M', ...fields }] })
  const withPool = (fields: object) => ({ pools: [{ address: POOL, token0: BOLT, token1: USDC, ...fields }] })
  const withArt = (fields: object) => ({ nftCollections: [{ ...artOf(), ...fields }] })
  const lock = (percentSupply: number, fields: object = {}) => ({ percentSupply, unlocksInMs: 1, ...fields })
  const traits = [{ name: 'a', value: 'b', rarity: 2 }]

  it.each<[world: unknown, message: string]>([
    [[], 'world takes an object'],
    [null, 'world takes an object'],
    [{ token: [] }, 'world knows no option "token". It takes: tokens, pools'],
    [{ only: 1 }, 'world.only is true or false'],
    [{ tokenCount: 10_001 }, 'world.tokenCount is a number from 0 to 10000, not 10001'],
    [withToken({ price: 1 }), 'world.tokens[0] knows no option "price"'],
    [withToken({ address: '0x1' }), 'world.tokens[0].address is an address'],
    [withToken({ symbol: undefined }), 'world.tokens[0].symbol is a text'],
    [withToken({ decimals: 1.5 }), 'world.tokens[0].decimals is a whole number'],
    [withToken({ usd: '-1' }), 'world.tokens[0].usd is a decimal above 0'],
    [
      { tokens: [{ address: WETN, usd: `1${'0'.repeat(20)}` }] },
      'world.tokens[0].usd is from 0.000000000000000001 to 1000000000000',
    ],
    [{ tokens: [{ address: BOLT }, { address: BOLT }] }, 'world.tokens[1].address occurs twice'],
    [withPool({ token0: MINE }), 'world.pools[0].token0 is a token of the world'],
    [{ ...withToken({}), ...withPool({ address: MINE }) }, 'world.pools[0].address is an address without a token'],
    [
      { pools: [2, 3].flatMap((version) => withPool({ version }).pools) },
      `world.pools[1].address occurs twice: ${POOL}`,
    ],
    [
      { balances: { [WALLET]: { [MINE]: '1' } } },
      `world.balances[${WALLET}][${MINE}] is a balance of a token of the world`,
    ],
    [{ balances: { [WALLET]: { [BOLT]: '1.5' } } }, 'is a whole amount in the smallest unit'],
    [
      { ...withToken({ decimals: 2, totalSupply: 10 }), balances: { [ART]: { [MINE]: '1001' } } },
      `world.balances[${ART}][${MINE}] is at most the supply of the token, 1000 in the smallest unit`,
    ],
    [{ locks: { [MINE]: [] } }, `world.locks[${MINE}] is for a token of the world`],
    [{ locks: { [BOLT]: [lock(60), lock(41)] } }, 'adds up to 101, above 100'],
    [
      {
        ...withToken({ usd: 1 }),
        ...withPool({ token0: MINE }),
        locks: { [MINE]: [lock(51, { pair: POOL })], [USDC]: [lock(51, { pair: POOL })] },
      },
      `world.locks[${USDC}]: percentSupply of the active locks of a pool adds up to 102, above 100`,
    ],
    [{ farms: [{ poolAddr: POOL }] }, 'world.farms[0].poolAddr is a pool of the world'],
    [{ presales: [saleOf({ startsInMs: 2, endsInMs: 1 })] }, 'world.presales[0].endsInMs is later'],
    [
      { presales: ['a', 'b'].map((digit) => saleOf({ token: { address: address(digit), symbol: digit } })) },
      'world.presales[1].pool occurs twice',
    ],
    [{ presales: [saleOf({ decimals: 99 })] }, 'presales[0].token.decimals is a number'],
    [
      { presales: [saleOf({ token: { address: WETN, symbol: 'WETN' } })] },
      `world.presales[0].token.address is a new token, which its launch lists, not ${WETN}`,
    ],
    [withArt({ name: undefined }), 'world.nftCollections[0].name is a text'],
    [{ nftCollections: [artOf(), artOf()] }, 'world.nftCollections[1].address occurs'],
    [
      withArt({ stats: { floorPrice: 1, listingCount: 0 } }),
      'world.nftCollections[0].stats.floorPrice is null without a listing',
    ],
    [
      withArt({ stats: { uniqueOwners: 3 } }),
      'world.nftCollections[0].stats.uniqueOwners is at most totalSupply: 3 are above 2',
    ],
    [{ nftCollections: [artOf(['1', '1'])] }, 'world.nftCollections[0].assets[1].tokenId occurs twice: 1'],
    [
      { nftCollections: [artOf(['1', '2', '3'])] },
      'world.nftCollections[0].assets lists at most totalSupply assets: 3 are above 2',
    ],
    [
      withArt({ assets: [{ tokenId: '1', traits }] }),
      'world.nftCollections[0].assets[0].traits[0].rarity is a number from 0 to 1',
    ],
  ])('rejects %j: %s', (world, message) => {
    expect(() => ask({ world: world as WorldOptions })).toThrow(message)
  })
})
