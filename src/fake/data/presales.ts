import { checksumAddress } from '../../utils/address.ts'
import { FakeUsageError } from '../rules/check-options.ts'
import { once } from '../rules/once.ts'
import { ONE } from './decimal.ts'
import { coinName } from './names.ts'
import { below, hash, hashText, hex, pick, unhash, unhashFirst, unit, wallet } from './random.ts'
import { BASE_ETN_USD, launchedToken, ownToken, readDecimals, type WorldToken } from './tokens.ts'
import type { Sources } from './world.ts'
import { type FieldReader, readEntry, readList, rejectDuplicates } from './world-options.ts'

/** Seconds between the starts of two campaigns, between announcement and start, and between start and end. */
const EVERY = 24 * 3_600
const ANNOUNCED = 7 * 86_400
const RUNS = 7 * 86_400
/** Number of launched tokens in `token.list`. At most this many of the listed campaigns are LAUNCHED. */
const LAUNCHED_TOKENS = 40
/** Campaigns that are found by an address: those of the last 27 years. What was listed once stays, although newer ones fill the list. */
const FOUND_CAMPAIGNS = 10_000
/** The addresses of campaigns, and of their tokens. */
const POOL_SALT = 80
const TOKEN_SALT = 82

/** A launchpad campaign of the built-in data. Everything but its progress is fixed. */
export interface Campaign {
  number: number
  noise: number
  name: string
  symbol: string
  totalSupply: number
  creator(): string
  /** Lower-cased addresses of the campaign and of its token. */
  poolKey: string
  tokenKey: string
  /** Unix seconds. */
  starts: number
  ends: number
  goal: number
  launches: boolean
  /** The moment of the cancellation in unix seconds, if it is cancelled. */
  cancelledAt: number | undefined
  /** Amount raised at the end, or at the cancellation. */
  total: number
}

function keyOf(seed: number, salt: number, number: number): string {
  return `0x${hex(40, hash(seed, salt, number))}`
}

/** The number of the campaign with an address, up to `newest`. The digits of a key are hashes that can be inverted. */
function findNumber(seed: number, salt: number, key: string, newest: number): number | undefined {
  const firstDigits = Number.parseInt(key.slice(2, 10), 16)
  const number = unhash(unhashFirst(firstDigits), seed, salt)
  const isListed = number <= newest && number > newest - FOUND_CAMPAIGNS
  return isListed && keyOf(seed, salt, number) === key ? number : undefined
}

/** The campaign whose token has this key, if it has launched. */
export function findLaunched(seed: number, tokenKey: string, now: number): number | undefined {
  const number = findNumber(seed, TOKEN_SALT, tokenKey, newestEnded(now))
  return number !== undefined && hasLaunched(seed, number) ? number : undefined
}

/** The campaign of this pool, if it is announced. */
function findAnnounced(seed: number, poolKey: string, now: number): number | undefined {
  return findNumber(seed, POOL_SALT, poolKey, Math.floor((now + ANNOUNCED) / EVERY))
}

const newestEnded = (now: number) => Math.floor((now - RUNS) / EVERY)

function hasLaunched(seed: number, number: number): boolean {
  return modulo(number + seed, 9) !== 0 && modulo(number + seed, 3) !== 1
}

export function createCampaign(seed: number, number: number): Campaign {
  const noise = hash(seed, 81, number)
  const { name, symbol } = coinName(noise)
  const starts = number * EVERY
  const goal = pick([50_000, 100_000, 250_000, 500_000], noise, 1)
  // The outcomes alternate, so that every page of a dozen ended campaigns has all of them.
  const isCancelled = modulo(number + seed, 9) === 0
  const hasFailed = modulo(number + seed, 3) === 1
  const share = isCancelled ? 0.3 : hasFailed ? 0.3 + 0.6 * unit(noise, 2) : 1.05 + unit(noise, 3)
  return {
    number,
    noise,
    name,
    // Other symbols have no digits, so these are unique within a hundred campaigns.
    symbol: `${symbol}${modulo(number, 100)}`,
    totalSupply: pick([1_000_000, 100_000_000, 1_000_000_000], noise, 4),
    creator: once(() => wallet(noise, 7)),
    poolKey: keyOf(seed, POOL_SALT, number),
    tokenKey: keyOf(seed, TOKEN_SALT, number),
    starts,
    ends: starts + RUNS,
    goal,
    launches: !isCancelled && !hasFailed,
    cancelledAt: isCancelled ? starts + RUNS / 2 : undefined,
    total: Math.floor(goal * share),
  }
}

/** ETN raised at a moment. It never falls. */
function raisedAt({ starts, ends, cancelledAt = ends, total }: Campaign, now: number): number {
  const progress = (now - starts) / (cancelledAt - starts)
  return Math.floor(total * Math.min(1, Math.max(0, progress)))
}

/** The numbers of the newest campaigns that launched by a moment, newest first. */
export function launchedNumbers(seed: number, now: number): number[] {
  const found: number[] = []
  for (let number = newestEnded(now); found.length < LAUNCHED_TOKENS; number--) {
    if (hasLaunched(seed, number)) found.push(number)
  }
  return found
}

function contributorsAt(campaign: Campaign, now: number): number {
  return Math.floor(raisedAt(campaign, now) / (300 + below(900, campaign.noise, 9)))
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

/** Number of campaigns in the list. */
const LISTED = 80
/** The largest page of `presale.list`. */
const PAGE = 50

/** A presale of the `world` option. */
export interface OwnPresale {
  campaign: Campaign
  token: WorldToken
  fields: { description: string; website: string | null; minEtnToList: number; maxBuy: number }
}

/** The launchpad campaigns at a moment, newest first. With time they open, launch or fail, and new ones follow. */
export function presales(sources: Sources, now: number) {
  const { seed, own, only } = sources
  const newest = Math.floor((now + ANNOUNCED) / EVERY)
  const builtIn = only ? [] : Array.from({ length: LISTED }, (_, i) => createCampaign(seed, newest - i))
  const mine = own.presales.map(({ campaign }) => campaign)
  const byStart = (a: Campaign, b: Campaign) => b.starts - a.starts || b.number - a.number
  const firstPage = [...mine, ...builtIn].slice(0, Math.max(PAGE, mine.length)).sort(byStart)
  const others = [...mine, ...builtIn].slice(Math.max(PAGE, mine.length))
  return [...firstPage, ...others].map((campaign) => presaleBody(sources, campaign, now))
}

/** The campaign with a pool address; one that is no longer listed, too. */
export function findPresale(sources: Sources, now: number, pool: string) {
  const key = pool.toLowerCase()
  const mine = sources.own.presales.find(({ campaign }) => campaign.poolKey === key)
  if (mine) return presaleBody(sources, mine.campaign, now)
  const number = sources.only ? undefined : findAnnounced(sources.seed, key, now)
  return number === undefined ? undefined : presaleBody(sources, createCampaign(sources.seed, number), now)
}

function presaleBody({ pools, own, tokens }: Sources, campaign: Campaign, now: number) {
  const { number, noise, goal, starts, ends, creator, name } = campaign
  const mine = own.presales.find((one) => one.campaign === campaign)
  const token = mine?.token ?? launchedToken(campaign)
  const status = statusAt(campaign, now)
  const listed = status === 'LAUNCHED' ? tokens.find(token.key, now) : undefined
  return {
    id: number,
    pool: checksumAddress(campaign.poolKey),
    status,
    token: {
      name: token.name,
      symbol: token.symbol,
      decimals: token.decimals,
      totalSupply: token.totalSupply,
      address: token.address(),
      liquidityPool: listed ? pools.ofToken(listed, 2).address() : null,
    },
    campaign: {
      creator: creator(),
      description: mine?.fields.description ?? `${name} raises ${goal} ETN.`,
      website: mine
        ? mine.fields.website
        : below(4, noise, 8) === 0
          ? null
          : `https://${token.symbol.toLowerCase()}.example`,
      starts,
      ends,
      etnRaised: raisedAt(campaign, now),
      minEtnToLaunch: goal,
      minEtnToList: mine?.fields.minEtnToList ?? goal / 10,
      contributorCount: contributorsAt(campaign, now),
      maxBuy: mine?.fields.maxBuy ?? goal / 20,
    },
  }
}

function statusAt({ starts, ends, cancelledAt, launches }: Campaign, now: number): string {
  if (now < starts) return 'PENDING'
  if (cancelledAt !== undefined && now > cancelledAt) return 'CANCELLED'
  if (now < ends) return 'ACTIVE'
  return launches ? 'LAUNCHED' : 'FAILED'
}

// biome-ignore format: a list of names
const NAMES = ['pool', 'token', 'startsInMs', 'endsInMs', 'etnRaised', 'minEtnToLaunch', 'minEtnToList', 'maxBuy', 'creator', 'description', 'website', 'usd']

/** Reads the presales of the `world` option; `now` in unix seconds is when the fake is created. */
export function readOwnPresales(entries: unknown, now: number): OwnPresale[] {
  const found = readList('world.presales', entries).map((entry, i): OwnPresale => {
    const path = `world.presales[${i}]`
    const field = readEntry(path, entry, NAMES)
    const goal = field.number('minEtnToLaunch', 1, undefined, 100_000)
    const total = field.number('etnRaised', 0, undefined, goal * 1.2)
    const starts = now + Math.floor(field.number('startsInMs', Number.MIN_SAFE_INTEGER) / 1000)
    const ends = now + Math.floor(field.number('endsInMs', Number.MIN_SAFE_INTEGER) / 1000)
    if (ends <= starts) throw new FakeUsageError(`${path}.endsInMs is later than startsInMs.`)
    const sale = readEntry(`${path}.token`, field.any('token'), [
      'address',
      'symbol',
      'name',
      'decimals',
      'totalSupply',
    ])
    const token = readSaleToken(sale, field.amount('usd'), {
      total,
      launchedAt: total >= goal ? ends : Number.POSITIVE_INFINITY,
      index: 3_000_000 + i,
    })
    const poolKey = field.address('pool').toLowerCase()
    const noise = hashText(poolKey)
    const website = field.any('website') === undefined || field.any('website') === null ? null : field.text('website')
    return {
      token,
      fields: {
        description: field.text('description', `${token.name} raises ${goal} ETN.`),
        website,
        minEtnToList: field.number('minEtnToList', 0, undefined, goal / 10),
        maxBuy: field.number('maxBuy', 0, undefined, goal / 20),
      },
      campaign: {
        number: 9_000_000 + i,
        noise,
        name: token.name,
        symbol: token.symbol,
        totalSupply: token.totalSupply,
        creator: ownerOf(field, noise),
        poolKey,
        tokenKey: token.key,
        starts,
        ends,
        goal,
        launches: total >= goal,
        cancelledAt: undefined,
        total,
      },
    }
  })
  const pools = found.map(({ campaign }) => checksumAddress(campaign.poolKey))
  rejectDuplicates('world.presales', 'pool', pools)
  return found
}

function ownerOf(field: FieldReader, noise: number): () => string {
  const given = field.optionalAddress('creator')
  return () => given ?? wallet(noise)
}

function readSaleToken(
  sale: FieldReader,
  usd: bigint | undefined,
  { total, launchedAt, index }: { total: number; launchedAt: number; index: number },
): WorldToken {
  const symbol = sale.text('symbol')
  const totalSupply = sale.number('totalSupply', 1, undefined, 1_000_000)
  // Half of the supply is sold for what is raised.
  const saleUsd = BigInt(Math.floor((total * BASE_ETN_USD * 1e12) / (totalSupply / 2))) * (ONE / 1_000_000_000_000n)
  const fixedUsd = usd ?? (saleUsd > 0n ? saleUsd : ONE / 1_000_000n)
  return ownToken({
    address: sale.address('address'),
    symbol,
    name: sale.text('name', symbol),
    decimals: readDecimals(sale, 18),
    totalSupply,
    fixedUsd,
    launchedAt,
    index,
  })
}
