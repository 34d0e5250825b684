import { checksumAddress } from '../../address.ts'
import { wallet } from './chain.ts'
import { coinName } from './names.ts'
import { below, hash, hex, pick, unit } from './random.ts'

/** A new campaign opens every so many seconds, is announced so long before, and runs so long. */
const EVERY = 24 * 3_600
const ANNOUNCED = 7 * 86_400
const RUNS = 7 * 86_400
/** How many of the newest campaigns are listed. */
const LISTED = 80

/** Launchpad campaigns known at a moment, newest first. As time passes they open, launch or fail, and new ones follow. */
export function presales(seed: number, now: number, limit: number = LISTED) {
  return numbers(now)
    .slice(0, limit)
    .map((number) => presaleBody(seed, number, now))
}

/** The campaign with a pool address. */
export function findPresale(seed: number, now: number, pool: string) {
  const key = pool.toLowerCase()
  const number = numbers(now).find((one) => poolKey(seed, one) === key)
  return number === undefined ? undefined : presaleBody(seed, number, now)
}

function numbers(now: number): number[] {
  const newest = Math.floor((now + ANNOUNCED) / EVERY)
  return Array.from({ length: LISTED }, (_, i) => newest - i)
}

function poolKey(seed: number, number: number): string {
  return `0x${hex(40, hash(seed, 80, number))}`
}

function presaleBody(seed: number, number: number, now: number) {
  const noise = hash(seed, 81, number)
  const { name, symbol } = coinName(noise, new Set())
  const starts = number * EVERY
  const goal = pick([50_000, 100_000, 250_000, 500_000], noise, 1)
  const progress = now < starts ? 0 : Math.min(1, (now - starts) / RUNS)
  // Taking turns, not drawing lots: every page of a dozen ended campaigns has some of each kind.
  const cancelled = mod(number + seed, 9) === 0 && now > starts + RUNS / 2
  const pull = mod(number + seed, 3) === 1 ? 0.3 + 0.6 * unit(noise, 2) : 1.05 + unit(noise, 3)
  const raised = Math.floor(goal * pull * (cancelled ? 0.3 : progress))
  const status = statusOf({ cancelled, now, starts, enough: raised >= goal })
  return {
    id: number,
    pool: checksumAddress(poolKey(seed, number)),
    status,
    token: {
      name,
      symbol,
      decimals: 18,
      totalSupply: pick([1_000_000, 100_000_000, 1_000_000_000], noise, 4),
      address: wallet(noise, 5),
      liquidityPool: status === 'LAUNCHED' ? wallet(noise, 6) : null,
    },
    campaign: {
      creator: wallet(noise, 7),
      description: `${name} raises ${goal} ETN.`,
      website: below(4, noise, 8) === 0 ? null : `https://${symbol.toLowerCase()}.example`,
      starts,
      ends: starts + RUNS,
      etnRaised: raised,
      minEtnToLaunch: goal,
      minEtnToList: goal / 10,
      contributorCount: Math.floor(raised / (300 + below(900, noise, 9))),
      maxBuy: goal / 20,
    },
  }
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by
}

function statusOf(at: { cancelled: boolean; now: number; starts: number; enough: boolean }): string {
  if (at.cancelled) return 'CANCELLED'
  if (at.now < at.starts) return 'PENDING'
  if (at.now < at.starts + RUNS) return 'ACTIVE'
  return at.enough ? 'LAUNCHED' : 'FAILED'
}
