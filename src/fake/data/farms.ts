import { FakeUsageError, given } from '../rules/check.ts'
import type { Pools, WorldPool } from './pools.ts'
import { below, hash, hashText, unit } from './random.ts'
import { baseLiquidity, blockAt, type WorldToken } from './tokens.ts'
import type { Sources } from './world.ts'
import type { WorldFarmOptions } from './world-options.ts'

const FARMS = 14

/** The active yield farms: the user's own, and those on the pools of the most liquid tokens. */
export function farms(sources: Sources, now: number) {
  const { seed, tokens, pools, own, only } = sources
  const priced = tokens.all(now).filter(({ launchedAt, anchor }) => launchedAt === undefined && anchor !== null)
  const candidates = only ? [] : priced.filter(({ key }) => key !== tokens.wetn.key)
  const ranked = candidates.sort((a, b) => baseLiquidity(b) - baseLiquidity(a) || a.index - b.index).slice(0, FARMS)
  const builtIn = ranked.map((token, i) => {
    const noise = hash(seed, 120, token.index)
    const bonus = i % 4 === 1 ? bonusOf(priced, noise, now) : {}
    return farmBody(pools, pools.ofToken(token, i % 3 === 0 ? 2 : 3), noise, now, bonus)
  })
  const mine = own.farms.map(({ pool, fields }) =>
    farmBody(pools, pool, hash(hashText(pool.address()), seed), now, fields),
  )
  return [...mine, ...builtIn].map((farm, i) => ({ id: i + 1, ...farm }))
}

function farmBody(pools: Pools, pool: WorldPool, noise: number, now: number, fields: object) {
  const reserves = pools.reserves(pool, now)
  const part = 0.1 + 0.4 * unit(noise, 1)
  return {
    version: pool.version,
    name: `${pool.token0.symbol}-${pool.token1.symbol}`,
    poolAddr: pool.address(),
    liquidity: ((reserves.amount0 * BigInt(Math.floor(part * 1e6))) / 1_000_000n).toString(),
    allocation: 10 * (1 + below(30, noise, 5)),
    farmerCount: below(220, noise, 6),
    token0: pool.token0.address(),
    token1: pool.token1.address(),
    fee: pool.fee,
    active: true,
    tvl: Math.floor(reserves.usd * part * 100) / 100,
    baseRewardApy: Math.round(9_000 * unit(noise, 7)) / 100,
    thirdPartyRewardApy: 0,
    thirdPartyReward: null,
    ...fields,
  }
}

function bonusOf(priced: readonly WorldToken[], noise: number, now: number) {
  const token = priced[below(priced.length, noise, 9)]
  const month = Math.floor(now / 2_592_000)
  const [tokensPerBlock, endBlock] = [1 + below(50, noise, 10), blockAt((month + 2) * 2_592_000)]
  return {
    thirdPartyRewardApy: Math.round(4_000 * unit(noise, 8)) / 100,
    thirdPartyReward: token && { token: token.address(), symbol: token.symbol, tokensPerBlock, endBlock },
  }
}

export function readOwnFarms(entries: readonly WorldFarmOptions[] = [], pools: Pools, now: number) {
  return entries.map(({ poolAddr, ...fields }, i) => {
    const pool = pools.find(poolAddr, now)
    if (!pool) throw new FakeUsageError(`world.farms[${i}].poolAddr is a pool of the world, not ${poolAddr}.`)
    return { pool, fields: given(fields) }
  })
}
