import { checksumAddress } from '../../utils/address.ts'
import { once } from '../../utils/once.ts'
import { fixedPoint, ONE } from './decimal.ts'
import { createCoinNames, REAL_TOKENS } from './names.ts'
import { below, hash, hashText, hex, pick, unit, wallet } from './random.ts'

export interface WorldToken {
  /** Its position in the random numbers; unique. */
  index: number
  key: string
  name: string
  symbol: string
  decimals: number
  totalSupply: number
  blockAdded: number
  /** The currency its price is computed in: USD for stablecoins, ETN for others; `null` without a price. */
  anchor: 'USD' | 'ETN' | null
  /** The base price in the anchor currency, as fixed point. */
  base: bigint
  /** A constant price in USD instead of the computed one, as fixed point. */
  fixedUsd?: bigint | undefined
  /** The start of its market in unix seconds, `Infinity` for never. @default it has always traded */
  launchedAt?: number
  activity: number
  /** Part of the supply that is in its pools. */
  poolShare: number
  /** The EIP-55 form, computed at the first call. */
  address(): string
  deployer(): string
}

const GENESIS = 1_709_000_000
const BLOCK_SECONDS = 5

export function blockAt(now: number): number {
  return Math.max(0, Math.floor((now - GENESIS) / BLOCK_SECONDS))
}

/** Largest value of an own token's pools, in ETN. */
export const MAX_LIQUIDITY = 5_000_000

/** Base price of ETN in USD, for estimates. */
export const BASE_ETN_USD = 0.0022

/** The base value of the tokens in its pools, in ETN. */
export function baseLiquidity({ base, anchor, totalSupply, poolShare, fixedUsd }: WorldToken): number {
  const price = Number(fixedUsd ?? base) / Number(ONE)
  const inEtn = anchor === 'USD' || fixedUsd !== undefined ? price / BASE_ETN_USD : price
  return poolShare * totalSupply * inEtn
}

export function realTokens(seed: number): WorldToken[] {
  return REAL_TOKENS.map((real, index) => {
    const noise = hash(seed, 1, index)
    const { address, symbol, name, decimals, totalSupply, anchor, price, activity, poolShare } = real
    const base = fixedPoint(symbol === 'WETN' ? '1' : `${price}${hash(noise, 12)}${hash(noise, 13)}`)
    const shared = { index, key: address.toLowerCase(), name, symbol, decimals, totalSupply, anchor, base }
    const deployer = once(() => wallet(noise, 4))
    return { ...shared, activity, poolShare, blockAdded: blockAdded(index, noise), address: () => address, deployer }
  })
}

export function generatedTokens(seed: number, count: number): WorldToken[] {
  const nextName = createCoinNames(REAL_TOKENS.map(({ symbol }) => symbol))
  return Array.from({ length: count }, (_, i) => {
    const index = REAL_TOKENS.length + i
    const noise = hash(seed, 2, index)
    const { name, symbol } = nextName(noise)
    const key = `0x${hex(40, noise, 4)}`
    const totalSupply = pick([1_000_000, 10_000_000, 21_000_000, 100_000_000, 1_000_000_000, 420_690_000_000], noise, 6)
    return {
      index,
      key,
      name,
      symbol,
      decimals: pick([18, 18, 18, 18, 18, 9, 8, 6], noise, 5),
      totalSupply,
      // About one token in twelve has no price.
      anchor: below(12, noise, 7) === 0 ? null : 'ETN',
      base: priceOfMarketCap(noise, totalSupply),
      activity: 4 + Math.floor(unit(noise, 9) * unit(noise, 10) * 90),
      poolShare: 0.02 + 0.08 * unit(noise, 16),
      blockAdded: blockAdded(index, noise),
      address: once(() => checksumAddress(key)),
      deployer: once(() => wallet(noise, 11)),
    }
  })
}

/** The price that gives a market capitalisation of 0.2 to 9 million ETN. */
export function priceOfMarketCap(noise: number, totalSupply: number): bigint {
  const cap = Math.floor(200_000 + 8_800_000 * unit(noise, 8) * unit(noise, 15))
  return fixedPoint(`${cap}.${hash(noise, 12)}${hash(noise, 13)}`) / BigInt(totalSupply)
}

function blockAdded(index: number, noise: number): number {
  return 120_000 + index * 9_000 + below(9_000, noise, 14)
}

/** A token of the user that has no built-in counterpart. */
export function ownToken(
  token: Pick<WorldToken, 'index' | 'name' | 'symbol' | 'decimals' | 'totalSupply' | 'fixedUsd' | 'launchedAt'> & {
    address: string
  },
): WorldToken {
  const { address, ...rest } = token
  const key = address.toLowerCase()
  const capInEtn = (Number(rest.fixedUsd ?? 0n) / Number(ONE) / BASE_ETN_USD) * rest.totalSupply
  return {
    ...rest,
    key,
    blockAdded: 3_000_000 + (rest.index % 1_000_000),
    anchor: rest.fixedUsd === undefined ? null : 'USD',
    base: rest.fixedUsd ?? ONE,
    activity: 40,
    poolShare: Math.min(0.2, capInEtn === 0 ? 0.2 : MAX_LIQUIDITY / capInEtn),
    address: () => address,
    deployer: () => wallet(hashText(key)),
  }
}
