import { blockAt } from './chain.ts'
import type { Pools } from './pools.ts'
import { below, hash, unit } from './random.ts'
import type { Tokens } from './tokens.ts'

const FARMS = 14

/** The active yield farms, on the pools of the busiest tokens. */
export function farms(seed: number, tokens: Tokens, pools: Pools, now: number) {
  const traded = tokens.all.filter((token) => token !== tokens.wetn && token.anchor !== null)
  const busiest = [...traded].sort((a, b) => b.activity - a.activity || a.index - b.index).slice(0, FARMS)
  return busiest.map((token, i) => {
    const noise = hash(seed, 120, token.index)
    const pool = pools.ofToken(token, i % 3 === 0 ? 2 : 3)
    const tvl = Math.round(40_000 * unit(noise, 1) * unit(noise, 2) * 100) / 100
    const bonus = i % 4 === 1
    return {
      id: i + 1,
      version: pool.version,
      name: `${pool.token0.symbol}-${pool.token1.symbol}`,
      poolAddr: pool.address(),
      liquidity: `${1 + below(999_999_999, noise, 3)}${String(hash(noise, 4)).padStart(10, '0')}`,
      allocation: 10 * (1 + below(30, noise, 5)),
      farmerCount: below(220, noise, 6),
      token0: pool.token0.address(),
      token1: pool.token1.address(),
      fee: pool.fee,
      active: true,
      tvl,
      baseRewardApy: Math.round(9_000 * unit(noise, 7)) / 100,
      thirdPartyRewardApy: bonus ? Math.round(4_000 * unit(noise, 8)) / 100 : 0,
      thirdPartyReward: bonus ? reward(tokens, noise, now) : null,
    }
  })
}

function reward(tokens: Tokens, noise: number, now: number) {
  const token = tokens.all[below(tokens.all.length, noise, 9)] ?? tokens.wetn
  const month = Math.floor(now / 2_592_000)
  return {
    token: token.address(),
    symbol: token.symbol,
    tokensPerBlock: 1 + below(50, noise, 10),
    endBlock: blockAt((month + 2) * 2_592_000),
  }
}
