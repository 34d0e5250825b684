import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fakeTokens } from '../../../src/fake/index.ts'
import { ask, examplePaths, NOON, WETN } from '../setup.ts'

const DAY = 86_400_000
const MOMENTS = [0, 37 * DAY, 400 * DAY]

interface Lock {
  lockId: number
  pair: string
  percentSupply: number
  active: boolean
  token0: string
  token1: string
  amountToken0: string
  amountToken1: string
}

describe('the built-in data is coherent', () => {
  it('active locks of a pool add up to at most 100 per cent, with amounts of equal value below the supply', async () => {
    const { fake, get } = ask()
    for (const moment of MOMENTS) {
      fake.reset()
      fake.advance(moment)
      const locks: Lock[] = await get(`/tokens/52014/${WETN}/liquidity-locks`)
      expect(locks.length).toBeGreaterThan(100)
      const sums = new Map<string, number>()
      for (const { pair, percentSupply, active } of locks)
        if (active) sums.set(pair, (sums.get(pair) ?? 0) + percentSupply)
      expect(Math.max(...sums.values())).toBeLessThanOrEqual(100)
      expect(Math.max(...sums.values())).toBeGreaterThan(20)
      for (const lock of locks.slice(0, 12)) {
        const sides = await Promise.all(
          [lock.token0, lock.token1].map(async (address) => ({ ...(await get(`/tokens/52014/${address}`)) })),
        )
        const amounts = [lock.amountToken0, lock.amountToken1].map((text, i) => Number(text) / 10 ** sides[i].decimals)
        for (const [i, amount] of amounts.entries()) expect(amount).toBeLessThan(sides[i].totalSupply)
        const values = amounts.map((amount, i) => amount * Number(sides[i].usd ?? 0))
        expect(values[0]! / values[1]! || 1).toBeCloseTo(1, 3)
      }
    }
  })

  it('etnRaised never falls, and the token and the pool of a LAUNCHED presale are listed', async () => {
    const { fake, get } = ask()
    const raised = new Map<string, number>()
    for (let day = 0; day < 24; day++) {
      const presales = await get('/presales/52014?limit=50')
      const pools = new Map(
        (await get('/pools/52014?limit=100')).map((pool: { address: string }) => [pool.address, pool]),
      )
      const tokens = new Set((await get('/tokens/52014?limit=100')).map(({ address }: { address: string }) => address))
      expect(tokens.size).toBe(100)
      for (const { pool, status, token, campaign } of presales) {
        expect(campaign.etnRaised).toBeGreaterThanOrEqual(raised.get(pool) ?? 0)
        raised.set(pool, campaign.etnRaised)
        expect(tokens.has(token.address), `${status} ${pool}`).toBe(status === 'LAUNCHED')
        if (status === 'LAUNCHED') expect(pools.get(token.liquidityPool)).toMatchObject({ version: 2 })
        else expect(token.liquidityPool).toBeNull()
      }
      fake.advance(DAY / 2)
    }
  })

  it('a launched token has no price before its launch and one after it', async () => {
    const { fake, get } = ask()
    const active = (await get('/presales/52014?limit=50')).filter(
      ({ status }: { status: string }) => status === 'ACTIVE',
    )
    fake.advance(8 * DAY)
    const after = await Promise.all(active.map(({ pool }: { pool: string }) => get(`/presales/52014/${pool}`)))
    const { token, campaign } = after.find(({ status }) => status === 'LAUNCHED')
    expect(Number((await get(`/prices/52014/${token.address}`)).usd)).toBeGreaterThan(0)
    const candles = await get(`/tokens/52014/${token.address}/candles?bucket=1h&limit=500`)
    expect(candles.length).toBeGreaterThan(0)
    expect(candles[0].time).toBeGreaterThan(campaign.ends - 3_600)
    const { prices } = await get(`/tokens/52014/${token.address}/history?duration=MONTH`)
    expect(prices[0].timestamp).toBeGreaterThan(campaign.ends - 14_400)
  })

  it('market caps, pools and farms fit together: a farm holds less than its pool, all pools less than all WETN', async () => {
    const { get } = ask()
    const rate = Number((await get('/prices/etn')).usd)
    const wetn = await get(`/tokens/52014/${WETN}`)
    let total = 0
    for (const { token0, token1, version } of [
      ...(await get('/pools/52014?limit=100')),
      ...(await get('/pools/52014?limit=100&version=3')),
    ]) {
      const token = token0.address === WETN ? token1 : token0
      const locks: Lock[] = await get(`/tokens/52014/${token.address}/liquidity-locks`)
      const lock = locks.find(({ pair, percentSupply }) => pair && percentSupply > 0)
      if (!lock || version === 3) continue
      const amount = lock.token0 === WETN ? lock.amountToken0 : lock.amountToken1
      total += Number(amount) / 1e18 / (lock.percentSupply / 100)
    }
    expect(total).toBeLessThan(wetn.totalSupply)
    for (const { token0, token1, tvl } of await get('/farms/52014')) {
      const other = await get(`/tokens/52014/${token0 === WETN ? token1 : token0}`)
      expect(tvl).toBeLessThan(other.totalSupply * Number(other.usd) * 2)
      expect(tvl).toBeLessThan(wetn.totalSupply * rate * 2)
    }
  })

  it('token.list has no order to rely on, the same at the same moment', async () => {
    const { fake, get } = ask()
    const list = async () => (await get('/tokens/52014?limit=100')).map(({ symbol }: { symbol: string }) => symbol)
    const first = await list()
    expect(await list()).toEqual(first)
    expect(first.slice(0, 10)).not.toEqual(Object.keys(fakeTokens))
    fake.advance(60_000)
    const later = await list()
    expect(later).not.toEqual(first)
    expect([...later].sort()).toEqual([...first].sort())
  })
})

// A change here is a change of the product: raise WORLD_VERSION and add a line to the changelog.
it('the data of a seed is stable within a version, for every operation and every token', async () => {
  const { fake, get } = ask({ clock: { now: () => NOON } })
  const digest = (answers: unknown[]) => {
    const hash = createHash('sha256')
    for (const answer of answers) hash.update(JSON.stringify(answer))
    return hash.digest('hex').slice(0, 16)
  }
  const { 'account.me': _, 'meta.openapi': __, ...paths } = await examplePaths(fake)
  const tokens: { address: string }[] = await get('/tokens/52014?limit=100')
  const addresses = tokens.map(({ address }) => address).sort()
  const ofTokens: unknown[] = []
  for (const address of addresses) ofTokens.push(await get(`/tokens/52014/${address}`))
  const ofOperations: unknown[] = []
  for (const path of Object.values(paths)) {
    ofOperations.push(await get(path))
    if (fake.now() === NOON) fake.advance(DAY)
  }
  expect([fake.world.version, digest(ofOperations), addresses.length, digest(ofTokens)]).toEqual([
    1,
    '5f55de8d801d43a7',
    100,
    '08ca9ab2f153fe8a',
  ])
})
