import { checksumAddress, isAddress } from '../../utils/address.ts'
import { trimEnd } from '../../utils/runtime.ts'
import { asCount, asNumber, checkNames, FakeUsageError, show } from '../rules/check-options.ts'
import { fromDecimal, ONE } from './decimal.ts'

/** A token of your own. The address of a built-in token redefines that token: omitted fields keep their values. */
export interface WorldTokenOptions {
  /** Its address. */
  address: string
  /** Required for a new token. */
  symbol?: string
  /** @default the symbol */
  name?: string
  /** @default 18 */
  decimals?: number
  /** In whole tokens. @default 1_000_000 */
  totalSupply?: number
  /** Constant price in USD until it is changed, from 1e-18 to 1e12. @default no price for a new token */
  usd?: string | number
}

/** A pool of your own. */
export interface WorldPoolOptions {
  /** Its address. */
  address: string
  /** @default 2 */
  version?: 2 | 3
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
  durationMs?: number
  /** Address of a pool of the token. @default its V2 pool */
  pair?: string
  /** @default some address */
  owner?: string
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
  name?: string
  /** Its description. */
  description?: string | null
  /** URL of its image. */
  image?: string | null
  /** Address of the owner. */
  ownerAddress?: string
  /** Price of the last sale in ETN. */
  lastPrice?: number | null
  /** Its traits. */
  traits?: readonly WorldNftTraitOptions[]
}

/** Statistics of a collection. */
export interface WorldNftStatsOptions {
  /** Lowest price in ETN; `null` without a listing. */
  floorPrice?: number | null
  /** @default the owners of `assets` */
  uniqueOwners?: number
  /** Number of listings; at least 1 with a `floorPrice`. */
  listingCount?: number
  /** Traded volume in ETN. */
  volume?: number
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
  stats?: WorldNftStatsOptions
  /** @default generated assets */
  assets?: readonly WorldNftAssetOptions[]
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
  etnRaised?: number
  /** @default 100_000 */
  minEtnToLaunch?: number
  /** @default a tenth of `minEtnToLaunch` */
  minEtnToList?: number
  /** @default a twentieth of `minEtnToLaunch` */
  maxBuy?: number
  /** Address of the creator. */
  creator?: string
  /** Its description. */
  description?: string
  /** URL of its website. */
  website?: string | null
  /** Price of the token in USD after the launch. @default the price of the presale */
  usd?: string | number
}

/** A farm of your own. */
export interface WorldFarmOptions {
  /** Address of a pool of the world. */
  poolAddr: string
  /** @default the symbols of the pair */
  name?: string
  /** @default half of the value in the pool, in USD */
  tvl?: number
  /** Yearly reward in per cent. */
  baseRewardApy?: number
  /** Yearly reward of a third party in per cent. */
  thirdPartyRewardApy?: number
  /** Share of the rewards. */
  allocation?: number
  /** Number of farmers. */
  farmerCount?: number
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
  tokens?: readonly WorldTokenOptions[]
  /** Pools of your own. */
  pools?: readonly WorldPoolOptions[]
  /** Amounts in the smallest unit, by wallet and token. */
  balances?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Locks by token. They replace the built-in locks of that token. */
  locks?: Readonly<Record<string, readonly WorldLockOptions[]>>
  /** NFT collections of your own. */
  nftCollections?: readonly WorldNftCollectionOptions[]
  /** Presales of your own. */
  presales?: readonly WorldPresaleOptions[]
  /** Farms of your own. */
  farms?: readonly WorldFarmOptions[]
  /** Leave out the built-in data, except WETN. @default false */
  only?: boolean
  /** Number of tokens in the world, at most 10,000. @default 100, the largest page of `token.list` */
  tokenCount?: number
}

/** Reads the fields of one entry of the `world` option. Messages start with the path of the field. */
export interface FieldReader {
  address(name: string): string
  optionalAddress(name: string): string | undefined
  text(name: string, fallback?: string): string
  /** A whole number of 0 or more. */
  count(name: string, fallback?: number): number
  number(name: string, from: number, to?: number, fallback?: number): number
  /** A decimal as fixed point; `undefined` if it is missing. */
  amount(name: string): bigint | undefined
  /** A field of any type. */
  any(name: string): unknown
}

export function readEntry(path: string, entry: unknown, names: readonly string[]): FieldReader {
  checkNames(path, entry as object, names)
  const fields = entry as Record<string, unknown>
  const at = (name: string) => `${path}.${name}`
  const fieldOr = <T>(name: string, fallback: T | undefined): unknown => fields[name] ?? fallback
  return {
    any: (name) => fields[name],
    address: (name) => readAddressField(at(name), fields[name]),
    optionalAddress: (name) => (fields[name] === undefined ? undefined : readAddressField(at(name), fields[name])),
    text(name, fallback) {
      const value = fieldOr(name, fallback)
      if (typeof value === 'string' && value !== '') return value
      throw new FakeUsageError(`${at(name)} is a text, not ${show(value)}.`)
    },
    count: (name, fallback) => asCount(at(name), fieldOr(name, fallback)),
    number: (name, from, to, fallback) => asNumber(at(name), fieldOr(name, fallback), from, to),
    amount: (name) => (fields[name] === undefined ? undefined : readDecimal(at(name), fields[name])),
  }
}

/** The EIP-55 form of an address. */
export function readAddressField(name: string, value: unknown): string {
  if (isAddress(value)) return checksumAddress(value)
  throw new FakeUsageError(`${name} is an address (0x and 40 hex digits, EIP-55 if in mixed case), not ${show(value)}.`)
}

/** Bounds of prices in USD: the quotient of two has at most 30 decimal places. */
export const MIN_PRICE = 1e-18
export const MAX_PRICE = 1e12
const MIN_AMOUNT = ONE / 10n ** 18n
const MAX_AMOUNT = ONE * 10n ** 12n

/** A positive decimal, as text or as a number, as fixed point. */
export function readDecimal(name: string, value: unknown): bigint {
  const text = typeof value === 'number' ? trimEnd(trimEnd(value.toFixed(20), '0'), '.') : value
  if (typeof text === 'string' && /^\d{1,30}(\.\d{1,30})?$/.test(text)) {
    const amount = fromDecimal(text)
    if (amount > 0n) {
      if (amount >= MIN_AMOUNT && amount <= MAX_AMOUNT) return amount
      throw new FakeUsageError(`${name} is from 0.${'0'.repeat(17)}1 to 1${'0'.repeat(12)}, not ${show(value)}.`)
    }
  }
  throw new FakeUsageError(
    `${name} is a decimal above 0 with at most 30 places, for example '0.019', not ${show(value)}.`,
  )
}

/** Throws if two entries of a list are the same thing. */
export function rejectDuplicates(name: string, field: string, keys: readonly string[]): void {
  const twice = keys.findIndex((key, i) => keys.indexOf(key) < i)
  if (twice >= 0) throw new FakeUsageError(`${name}[${twice}].${field} occurs twice: ${keys[twice]}.`)
}

/** The entries of a list, or none. */
export function readList(name: string, value: unknown): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw new FakeUsageError(`${name} is a list.`)
}

/** The entries of an object, or none. */
export function readRecord(name: string, value: unknown): [string, unknown][] {
  if (value === undefined) return []
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value)
  throw new FakeUsageError(`${name} is an object.`)
}
