import { once } from '../rules/once.ts'
import { wallet } from './chain.ts'
import { coinName } from './names.ts'
import { below, hash, hex, pick, unhash, unhashFirst, unit } from './random.ts'

/** Seconds between the starts of two campaigns, between announcement and start, and between start and end. */
export const EVERY = 24 * 3_600
export const ANNOUNCED = 7 * 86_400
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
export function findAnnounced(seed: number, poolKey: string, now: number): number | undefined {
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
export function raisedAt({ starts, ends, cancelledAt = ends, total }: Campaign, now: number): number {
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

export function contributorsAt(campaign: Campaign, now: number): number {
  return Math.floor(raisedAt(campaign, now) / (300 + below(900, campaign.noise, 9)))
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
