import { checksumAddress } from '../../utils/address.ts'
import { once } from '../../utils/once.ts'
import { FakeUsageError } from '../rules/check.ts'
import { ONE, readDecimal } from './decimal.ts'
import { coinName } from './names.ts'
import { below, hash, hashText, hex, pick, unhash, unhashFirst, unit, wallet } from './random.ts'
import { BASE_ETN_USD, blockAt, ownToken, priceOfMarketCap, type WorldToken } from './tokens.ts'
import type { Sources } from './world.ts'
import { rejectDuplicates, type WorldPresaleOptions } from './world-options.ts'

/** Seconds between the starts of two campaigns, between announcement and start, and between start and end. */
const EVERY = 24 * 3_600
const ANNOUNCED = 7 * 86_400
const RUNS = 7 * 86_400
/** Number of launched tokens in `token.list`. At most this many of the listed campaigns are LAUNCHED. */
const LAUNCHED_TOKENS = 40
/** Number of campaigns in `presale.list`, and the largest page of it. */
const LISTED = 80
const PAGE = 50
/** Campaigns that are found by an address: those of the last 27 years. What was listed once stays, although newer ones fill the list. */
const FOUND_CAMPAIGNS = 10_000
const POOL_SALT = 80
const TOKEN_SALT = 82

/** A launchpad campaign. Everything but its progress is fixed. Times are in unix seconds. It launches if its `total` is its `goal` or more. */
export type Campaign = ReturnType<typeof createCampaign> &
  Pick<WorldPresaleOptions, 'description' | 'minEtnToList' | 'maxBuy'>

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

/** The token of a built-in campaign that has launched by a moment. */
export function findLaunchedToken(seed: number, key: string, now: number): WorldToken | undefined {
  const number = findNumber(seed, TOKEN_SALT, key, newestEnded(now))
  return number !== undefined && hasLaunched(seed, number) ? createCampaign(seed, number).token() : undefined
}

/** The number of the built-in campaign that has ended last. */
export const newestEnded = (now: number) => Math.floor((now - RUNS) / EVERY)

function hasLaunched(seed: number, number: number): boolean {
  return modulo(number + seed, 9) !== 0 && modulo(number + seed, 3) !== 1
}

export function createCampaign(seed: number, number: number) {
  const noise = hash(seed, 81, number)
  const { name, symbol: letters } = coinName(noise)
  // Other symbols have no digits, so these are unique within a hundred campaigns.
  const symbol = `${letters}${modulo(number, 100)}`
  const starts = number * EVERY
  const ends = starts + RUNS
  const goal = pick([50_000, 100_000, 250_000, 500_000], noise, 1)
  // The outcomes alternate, so that every page of a dozen ended campaigns has all of them.
  const isCancelled = modulo(number + seed, 9) === 0
  const hasFailed = modulo(number + seed, 3) === 1
  const share = isCancelled ? 0.3 : hasFailed ? 0.3 + 0.6 * unit(noise, 2) : 1.05 + unit(noise, 3)
  const totalSupply = pick([1_000_000, 100_000_000, 1_000_000_000], noise, 4)
  const creator = once(() => wallet(noise, 7))
  const token = (): WorldToken => {
    const key = keyOf(seed, TOKEN_SALT, number)
    const names = { name, symbol, decimals: 18, totalSupply, address: once(() => checksumAddress(key)) }
    return {
      ...names,
      key,
      index: 1_000_000 + number,
      anchor: 'ETN',
      base: priceOfMarketCap(noise, totalSupply),
      launchedAt: ends,
      activity: 6 + below(60, noise, 17),
      poolShare: 0.05 + 0.1 * unit(noise, 18),
      blockAdded: blockAt(ends),
      deployer: creator,
    }
  }
  return {
    number,
    noise,
    creator,
    website: below(4, noise, 8) === 0 ? null : `https://${symbol.toLowerCase()}.example`,
    /** Its address in lower case. */
    poolKey: keyOf(seed, POOL_SALT, number),
    /** The token on sale, which is listed when the campaign launches. */
    token: once(token),
    starts,
    ends,
    goal,
    cancelledAt: isCancelled ? starts + RUNS / 2 : undefined,
    /** Amount raised at the end, or at the cancellation. */
    total: Math.floor(goal * share),
  }
}

/** The numbers of the newest built-in campaigns that launched, up to `newest`, newest first. */
export function launchedNumbers(seed: number, newest: number): number[] {
  const found: number[] = []
  for (let number = newest; found.length < LAUNCHED_TOKENS; number--) {
    if (hasLaunched(seed, number)) found.push(number)
  }
  return found
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

/** The launchpad campaigns at a moment, newest first. With time they open, launch or fail, and new ones follow. */
export function presales(sources: Sources, now: number) {
  const { seed, own, only } = sources
  const newest = Math.floor((now + ANNOUNCED) / EVERY)
  const builtIn = Array.from({ length: only ? 0 : LISTED }, (_, i) => createCampaign(seed, newest - i))
  const all = [...own.presales, ...builtIn]
  const onPage = Math.max(PAGE, own.presales.length)
  const firstPage = all.slice(0, onPage).sort((a, b) => b.starts - a.starts || b.number - a.number)
  return [...firstPage, ...all.slice(onPage)].map((campaign) => presaleBody(sources, campaign, now))
}

export function findPresale(sources: Sources, now: number, pool: string) {
  const key = pool.toLowerCase()
  const mine = sources.own.presales.find(({ poolKey }) => poolKey === key)
  if (mine) return presaleBody(sources, mine, now)
  const newest = Math.floor((now + ANNOUNCED) / EVERY)
  const number = sources.only ? undefined : findNumber(sources.seed, POOL_SALT, key, newest)
  return number === undefined ? undefined : presaleBody(sources, createCampaign(sources.seed, number), now)
}

function presaleBody({ pools, tokens }: Sources, campaign: Campaign, now: number) {
  const { number, noise, goal, starts, ends, cancelledAt = ends, website } = campaign
  const token = campaign.token()
  const { name, symbol, decimals, totalSupply } = token
  const { description = `${name} raises ${goal} ETN.`, minEtnToList = goal / 10, maxBuy = goal / 20 } = campaign
  const status = statusAt(campaign, now)
  const listed = status === 'LAUNCHED' ? tokens.find(token.key, now) : undefined
  const liquidityPool = listed ? pools.ofToken(listed, 2).address() : null
  const progress = (now - starts) / (cancelledAt - starts)
  const etnRaised = Math.floor(campaign.total * Math.min(1, Math.max(0, progress)))
  return {
    id: number,
    pool: checksumAddress(campaign.poolKey),
    status,
    token: { name, symbol, decimals, totalSupply, address: token.address(), liquidityPool },
    campaign: {
      creator: campaign.creator(),
      description,
      website,
      starts,
      ends,
      etnRaised,
      minEtnToLaunch: goal,
      minEtnToList,
      contributorCount: Math.floor(etnRaised / (300 + below(900, noise, 9))),
      maxBuy,
    },
  }
}

function statusAt({ starts, ends, cancelledAt, goal, total }: Campaign, now: number): string {
  if (now < starts) return 'PENDING'
  if (cancelledAt !== undefined && now > cancelledAt) return 'CANCELLED'
  if (now < ends) return 'ACTIVE'
  return total >= goal ? 'LAUNCHED' : 'FAILED'
}

/** Reads the presales of the `world` option; `now` in unix seconds is when the fake is created. */
export function readOwnPresales(entries: readonly WorldPresaleOptions[] = [], now: number): Campaign[] {
  rejectDuplicates('world.presales', 'pool', entries)
  return entries.map((given, i) => readPresale(`world.presales[${i}]`, given, i, now))
}

function readPresale(path: string, given: WorldPresaleOptions, position: number, now: number): Campaign {
  const { minEtnToLaunch: goal = 100_000, etnRaised: total = goal * 1.2, creator } = given
  const starts = now + Math.floor(given.startsInMs / 1000)
  const ends = now + Math.floor(given.endsInMs / 1000)
  if (ends <= starts) throw new FakeUsageError(`${path}.endsInMs is later than startsInMs.`)
  const { symbol = '', name = symbol, decimals = 18, totalSupply = 1_000_000 } = given.token
  // Half of the supply is sold for what is raised.
  const saleUsd = BigInt(Math.floor((total * BASE_ETN_USD * 1e12) / (totalSupply / 2))) * (ONE / 1_000_000_000_000n)
  const usual = saleUsd > 0n ? saleUsd : ONE / 1_000_000n
  const token = ownToken({
    address: checksumAddress(given.token.address),
    symbol,
    name,
    decimals,
    totalSupply,
    fixedUsd: given.usd === undefined ? usual : readDecimal(`${path}.usd`, given.usd),
    launchedAt: total >= goal ? ends : Number.POSITIVE_INFINITY,
    index: 3_000_000 + position,
  })
  const poolKey = given.pool.toLowerCase()
  const noise = hashText(poolKey)
  return {
    ...given,
    number: 9_000_000 + position,
    noise,
    creator: () => (creator ? checksumAddress(creator) : wallet(noise)),
    website: given.website ?? null,
    poolKey,
    token: () => token,
    starts,
    ends,
    goal,
    cancelledAt: undefined,
    total,
  }
}
