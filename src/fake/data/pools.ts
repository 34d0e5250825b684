import { checksumAddress } from '../../utils/address.ts'
import { once } from '../../utils/once.ts'
import { FakeUsageError, given } from '../rules/check.ts'
import { CHAIN_ID } from '../rules/routes.ts'
import { ONE } from './decimal.ts'
import { fakeTokens } from './names.ts'
import { kept, type Prices } from './prices.ts'
import { below, hash, hashText, hex, unit } from './random.ts'
import type { TokenList } from './token-list.ts'
import { baseLiquidity, blockAt, MAX_LIQUIDITY, type WorldToken } from './tokens.ts'
import type { Sources } from './world.ts'
import { rejectDuplicates, type WorldFarmOptions, type WorldPoolOptions } from './world-options.ts'

/** A pool. Its tokens are in the order of their addresses, as on the chain. */
export interface WorldPool {
  version: 2 | 3
  token0: WorldToken
  token1: WorldToken
  /** Hundredths of a per cent. */
  fee: number
  address(): string
}

export class Pools {
  readonly #noise: number
  readonly #tokens: TokenList
  readonly #prices: Prices
  readonly #own: readonly WorldPool[]
  readonly #made = { 2: new WeakMap<WorldToken, WorldPool>(), 3: new WeakMap<WorldToken, WorldPool>() }

  constructor(seed: number, tokens: TokenList, prices: Prices, own: readonly WorldPool[]) {
    this.#noise = hash(seed, 30)
    this.#tokens = tokens
    this.#prices = prices
    this.#own = own
  }

  /** Pools of one version. The user's own come first. */
  list(version: 2 | 3, now: number): readonly WorldPool[] {
    const others = this.#tokens
      .all(now)
      .filter((token) => !this.#prices.isWetn(token) && !this.#own.some((pool) => this.#isOwnPair(pool, token)))
    const generated = others.map((token) => this.ofToken(token, version)).filter((pool) => pool.version === version)
    const [usdc, usdt] = [fakeTokens.USDC, fakeTokens.USDT].map((address) => this.#tokens.find(address, now))
    const stable = version === 2 && usdc && usdt ? [this.#makePool(usdc, 2, usdt)] : []
    return [...this.#own.filter((pool) => pool.version === version), ...stable, ...generated]
  }

  /** The pool of another token and WETN. Without a V3 pool it is the V2 one. */
  ofToken(token: WorldToken, wanted: 2 | 3): WorldPool {
    const given = this.#own.filter((pool) => this.#isOwnPair(pool, token))
    const ownPool = given.find(({ version }) => version === wanted) ?? given[0]
    if (ownPool) return ownPool
    const version = wanted === 3 && hasV3(token, this.#noise) ? 3 : 2
    return kept(this.#made[version], token, () => this.#makePool(token, version))
  }

  find(address: string, now: number): WorldPool | undefined {
    const all = [...this.list(2, now), ...this.list(3, now)]
    return all.find((pool) => pool.address().toLowerCase() === address.toLowerCase())
  }

  /** What a pool holds, in the smallest units. Both sides have the same value. */
  reserves(pool: WorldPool, now: number) {
    const [share0, share1] = [this.#shareOf(pool, pool.token0), this.#shareOf(pool, pool.token1)]
    // The side other than WETN determines the amounts, and the price determines the other side.
    const [token, share] = this.#prices.isWetn(pool.token0) ? [pool.token1, share1] : [pool.token0, share0]
    const other = token === pool.token0 ? pool.token1 : pool.token0
    const [price, otherPrice] = [this.#prices.quote(token, now), this.#prices.quote(other, now)]
    if (!price || !otherPrice) return { amount0: 0n, amount1: 0n, usd: 0 }
    const scale = (decimals: number) => 10n ** BigInt(decimals)
    // However high a price is set, the pool takes no more ETN.
    const mostEtn = BigInt(Math.ceil(Math.max(MAX_LIQUIDITY, 3 * baseLiquidity(token))))
    const most = (mostEtn * ONE * scale(token.decimals)) / price.etn
    const wanted = unitsOf(token, token.totalSupply * share)
    const available = wanted < most ? wanted : most
    const equal = (available * price.usd * scale(other.decimals)) / (otherPrice.usd * scale(token.decimals))
    // A pool without WETN holds at most half of the supply of its other token.
    const otherMost = unitsOf(other, other.totalSupply / 2)
    const isEnough = this.#prices.isWetn(other) || equal <= otherMost
    const otherAmount = isEnough ? equal : otherMost
    const amount = isEnough
      ? available
      : (otherMost * otherPrice.usd * scale(token.decimals)) / (price.usd * scale(other.decimals))
    const usd = (2 * Number((amount * price.usd) / scale(token.decimals))) / Number(ONE)
    const [amount0, amount1] = token === pool.token0 ? [amount, otherAmount] : [otherAmount, amount]
    return { amount0, amount1, usd }
  }

  #makePool(token: WorldToken, version: 2 | 3, other = this.#tokens.wetn): WorldPool {
    const [token0, token1] = token.key < other.key ? [token, other] : [other, token]
    const salt = hash(this.#noise, version, token.index, other === this.#tokens.wetn ? 0 : other.index)
    const fee = version === 2 ? 30 : token.anchor === 'USD' ? 5 : salt % 4 === 0 ? 100 : 30
    return { version, token0, token1, fee, address: once(() => checksumAddress(`0x${hex(40, salt)}`)) }
  }

  #isOwnPair({ token0, token1 }: WorldPool, { key }: WorldToken): boolean {
    return (token0.key === key && this.#prices.isWetn(token1)) || (token1.key === key && this.#prices.isWetn(token0))
  }

  /** The part of a token's supply in one of its pools. */
  #shareOf({ version }: WorldPool, token: WorldToken): number {
    const inV3 = hasV3(token, this.#noise) ? 0.2 + 0.6 * unit(this.#noise, 5, token.index) : 0
    return token.poolShare * (version === 3 ? inV3 : 1 - inV3)
  }
}

export function readOwnPools(
  entries: readonly WorldPoolOptions[] = [],
  find: (address: string) => WorldToken | undefined,
): WorldPool[] {
  rejectDuplicates('world.pools', 'address', entries)
  return entries.map((given, i): WorldPool => {
    const raise = (message: string): never => {
      throw new FakeUsageError(`world.pools[${i}].${message}.`)
    }
    const token = (name: 'token0' | 'token1') =>
      find(given[name]) ?? raise(`${name} is a token of the world, not ${given[name]}`)
    const [a, b] = [token('token0'), token('token1')]
    if (a.key === b.key) raise('token1 is another token than token0')
    if (find(given.address)) raise(`address is an address without a token, not ${given.address}`)
    const [token0, token1] = a.key < b.key ? [a, b] : [b, a]
    const address = checksumAddress(given.address)
    return { version: given.version ?? 2, token0, token1, fee: 30, address: () => address }
  })
}

/** An amount of whole tokens in the smallest unit, to six places. */
function unitsOf({ decimals }: WorldToken, amount: number): bigint {
  return (BigInt(Math.floor(amount * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n
}

/** Two thirds of the tokens, and all active ones, have a V3 pool too. */
function hasV3(token: WorldToken, noise: number): boolean {
  return token.activity > 40 || unit(noise, 4, token.index) < 0.66
}

export function poolBody(pool: WorldPool) {
  return {
    address: pool.address(),
    chainId: CHAIN_ID,
    version: pool.version,
    token0: pairTokenBody(pool.token0),
    token1: pairTokenBody(pool.token1),
  }
}

function pairTokenBody(token: WorldToken) {
  const { name, symbol, decimals, blockAdded, totalSupply } = token
  const address = token.address()
  return { address, name, symbol, decimals, chainId: CHAIN_ID, blockAdded, deployer: token.deployer(), totalSupply }
}

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
