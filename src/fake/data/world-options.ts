import { checksumAddress, looksLikeAddress } from '../../utils/address.ts'
import { FakeUsageError } from '../rules/check.ts'
import * as is from '../rules/schema.ts'

/** A token of your own. The address of a built-in token redefines that token: omitted fields keep their values. */
export interface WorldTokenOptions {
  /** Its address. */
  address: string
  /** Required for a new token. */
  symbol?: string | undefined
  /** @default the symbol */
  name?: string | undefined
  /** @default 18 */
  decimals?: number | undefined
  /** In whole tokens. @default 1_000_000 */
  totalSupply?: number | undefined
  /** Constant price in USD until it is changed, from 1e-18 to 1e12. @default no price for a new token */
  usd?: string | number | undefined
}

/** A pool of your own. */
export interface WorldPoolOptions {
  /** Its address. */
  address: string
  /** @default 2 */
  version?: 2 | 3 | undefined
  /** One token of the pair. */
  token0: string
  /** The other token of the pair. */
  token1: string
}

/** A lock of your own. */
export interface WorldLockOptions {
  /** Locked part of the pool in per cent. Active locks of a pool add up to at most 100. */
  percentSupply: number
  /** Milliseconds until it unlocks, counted from when the fake is created. Negative for an expired lock. */
  unlocksInMs: number
  /** Duration of the lock in milliseconds. @default 30 days, or more for a later end */
  durationMs?: number | undefined
  /** Address of a pool of the token. @default its V2 pool */
  pair?: string | undefined
  /** @default some address */
  owner?: string | undefined
}

/** A trait of an asset. */
export interface WorldNftTraitOptions {
  /** Its name. */
  name: string
  /** Its value. */
  value: string
  /** Share of the assets with this value, 0 to 1. */
  rarity: number
}

/** An asset of a collection of your own. */
export interface WorldNftAssetOptions {
  /** Number of the asset. */
  tokenId: string
  /** Its name. */
  name?: string | undefined
  /** Its description. */
  description?: string | null | undefined
  /** URL of its image. */
  image?: string | null | undefined
  /** Address of the owner. */
  ownerAddress?: string | undefined
  /** Price of the last sale in ETN. */
  lastPrice?: number | null | undefined
  /** Its traits. */
  traits?: readonly WorldNftTraitOptions[] | undefined
}

/** Statistics of a collection. */
export interface WorldNftStatsOptions {
  /** Lowest price in ETN; `null` without a listing. */
  floorPrice?: number | null | undefined
  /** @default the owners of `assets` */
  uniqueOwners?: number | undefined
  /** Number of listings; at least 1 with a `floorPrice`. */
  listingCount?: number | undefined
  /** Traded volume in ETN. */
  volume?: number | undefined
}

/** An NFT collection of your own. */
export interface WorldNftCollectionOptions {
  /** Its address. */
  address: string
  /** Its name. */
  name: string
  /** Its symbol. */
  symbol: string
  /** Number of assets. */
  totalSupply: number
  /** @default no listing, no floor price */
  stats?: WorldNftStatsOptions | undefined
  /** @default generated assets */
  assets?: readonly WorldNftAssetOptions[] | undefined
}

/** A presale of your own. With time it opens, then launches or fails. */
export interface WorldPresaleOptions {
  /** Address of the presale. */
  pool: string
  /** The token on sale. It becomes a listed token with a pool when the presale launches. */
  token: Omit<WorldTokenOptions, 'usd'>
  /** Start, in milliseconds from when the fake is created. */
  startsInMs: number
  /** End, in milliseconds from when the fake is created. */
  endsInMs: number
  /** ETN that it has raised at its end. It launches with `minEtnToLaunch` or more. @default 1.2 times `minEtnToLaunch` */
  etnRaised?: number | undefined
  /** @default 100_000 */
  minEtnToLaunch?: number | undefined
  /** @default a tenth of `minEtnToLaunch` */
  minEtnToList?: number | undefined
  /** @default a twentieth of `minEtnToLaunch` */
  maxBuy?: number | undefined
  /** Address of the creator. */
  creator?: string | undefined
  /** Its description. */
  description?: string | undefined
  /** URL of its website. */
  website?: string | null | undefined
  /** Price of the token in USD after the launch. @default the price of the presale */
  usd?: string | number | undefined
}

/** A farm of your own. */
export interface WorldFarmOptions {
  /** Address of a pool of the world. */
  poolAddr: string
  /** @default the symbols of the pair */
  name?: string | undefined
  /** @default half of the value in the pool, in USD */
  tvl?: number | undefined
  /** Yearly reward in per cent. */
  baseRewardApy?: number | undefined
  /** Yearly reward of a third party in per cent. */
  thirdPartyRewardApy?: number | undefined
  /** Share of the rewards. */
  allocation?: number | undefined
  /** Number of farmers. */
  farmerCount?: number | undefined
}

/**
 * Data of your own, merged into the built-in data. Names are those of the service's answers; times in `…InMs` count from when
 * the fake is created.
 *
 * @example
 * const fake = createFakeService({
 *   world: {
 *     tokens: [{ address: MINE, symbol: 'MINE', decimals: 6, totalSupply: 1e6, usd: '0.019' }],
 *     pools: [{ address: POOL, version: 3, token0: MINE, token1: BOLT }],
 *     balances: { [WALLET]: { [MINE]: '5000000' } }, // 5 MINE
 *     locks: { [MINE]: [{ percentSupply: 40, unlocksInMs: 86_400_000 }] },
 *     nftCollections: [{ address: ART, name: 'Art', symbol: 'ART', totalSupply: 3, stats: { floorPrice: 7 } }],
 *     presales: [{ pool: SALE, token: { address: NEW, symbol: 'NEW' }, startsInMs: 0, endsInMs: 3_600_000 }],
 *     farms: [{ poolAddr: POOL, baseRewardApy: 12 }],
 *   },
 * })
 * await fake.advance(3_600_000) // the presale launches, and its token is listed
 * await createClient({ apiKey: fake.key, fetch: fake.fetch }).token.price({ address: NEW })
 */
export interface WorldOptions {
  /** Tokens of your own. */
  tokens?: readonly WorldTokenOptions[] | undefined
  /** Pools of your own. */
  pools?: readonly WorldPoolOptions[] | undefined
  /** Amounts in the smallest unit, by wallet and token. */
  balances?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined
  /** Locks by token. They replace the built-in locks of that token. */
  locks?: Readonly<Record<string, readonly WorldLockOptions[]>> | undefined
  /** NFT collections of your own. */
  nftCollections?: readonly WorldNftCollectionOptions[] | undefined
  /** Presales of your own. */
  presales?: readonly WorldPresaleOptions[] | undefined
  /** Farms of your own. */
  farms?: readonly WorldFarmOptions[] | undefined
  /** Leave out the built-in data, except WETN. @default false */
  only?: boolean | undefined
  /** Number of tokens in the world, at most 10,000. @default 100, the largest page of `token.list` */
  tokenCount?: number | undefined
}

const numberFrom0 = is.between(0)
const fromNow = is.between(Number.MIN_SAFE_INTEGER)
const textOrNull = is.orNull(is.nonEmptyText)
const TOKEN = { address: is.eip55, symbol: is.nonEmptyText, name: is.nonEmptyText, decimals: is.wholeBetween(0, 36) }
const UNITS: is.Schema = {
  type: 'string',
  pattern: '^(\\d{1,78}|0x[0-9a-fA-F]{1,64})$',
  title: "a whole amount in the smallest unit, as text, for example '5000000'",
}
const TRAIT = is.record({ name: is.nonEmptyText, value: is.nonEmptyText, rarity: is.between(0, 1) })
const numberOrNull = is.orNull(numberFrom0)
const ASSET = {
  tokenId: is.nonEmptyText,
  name: is.nonEmptyText,
  ...is.each(textOrNull, 'description', 'image'),
  ownerAddress: is.eip55,
  lastPrice: numberOrNull,
  traits: is.listOf(TRAIT),
}
const STATS = { floorPrice: numberOrNull, uniqueOwners: is.count, listingCount: is.count, volume: numberFrom0 }
const COLLECTION = {
  address: is.eip55,
  ...is.each(is.nonEmptyText, 'name', 'symbol'),
  totalSupply: is.count,
  stats: is.object(STATS),
  assets: is.listOf(is.object(ASSET, ['tokenId'])),
}
const PRESALE = {
  ...is.each(is.eip55, 'pool', 'creator'),
  token: is.object({ ...TOKEN, totalSupply: is.between(1) }, ['address', 'symbol']),
  ...is.each(fromNow, 'startsInMs', 'endsInMs'),
  ...is.each(numberFrom0, 'etnRaised', 'minEtnToList', 'maxBuy'),
  minEtnToLaunch: is.between(1),
  description: is.nonEmptyText,
  website: textOrNull,
  usd: is.amount,
}
const LOCK = {
  percentSupply: is.between(0, 100),
  unlocksInMs: fromNow,
  durationMs: is.between(1),
  ...is.each(is.eip55, 'pair', 'owner'),
}
const POOL = { ...is.each(is.eip55, 'address', 'token0', 'token1'), version: is.only(2, 3) }
const FARM = {
  poolAddr: is.eip55,
  name: is.nonEmptyText,
  ...is.each(numberFrom0, 'tvl', 'baseRewardApy', 'thirdPartyRewardApy', 'allocation', 'farmerCount'),
}

/** The `world` option. What depends on other data, such as whether a token exists, is checked where the data is read. */
export const WORLD = is.object({
  tokens: is.listOf(is.object({ ...TOKEN, totalSupply: numberFrom0, usd: is.amount }, ['address'])),
  pools: is.listOf(is.object(POOL, ['address', 'token0', 'token1'])),
  balances: is.mapOf(is.mapOf(UNITS)),
  locks: is.mapOf(is.listOf(is.object(LOCK, ['percentSupply', 'unlocksInMs']))),
  nftCollections: is.listOf(is.object(COLLECTION, ['address', 'name', 'symbol', 'totalSupply'])),
  presales: is.listOf(is.object(PRESALE, ['pool', 'token', 'startsInMs', 'endsInMs'])),
  farms: is.listOf(is.object(FARM, ['poolAddr'])),
  only: is.flag,
  // More take seconds to generate.
  tokenCount: is.wholeBetween(0, 10_000),
})

/** Throws if two entries of a list are the same thing. */
export function rejectDuplicates<F extends string>(name: string, field: F, entries: readonly Record<F, string>[]) {
  const keys = entries.map(({ [field]: key }) => (looksLikeAddress(key) ? checksumAddress(key) : key))
  const twice = keys.findIndex((key, i) => keys.indexOf(key) < i)
  if (twice >= 0) throw new FakeUsageError(`${name}[${twice}].${field} occurs twice: ${keys[twice]}.`)
}
