import { fromDecimal, ONE, toDecimal } from './decimal.ts'
import { SLOT_SECONDS } from './market.ts'
import { hash, smoothNoise } from './random.ts'
import { TICKS } from './span.ts'
import { type Piece, rampAt, type Timeline } from './timeline.ts'

/** The price of ETN in USD. It changes every 15 minutes, and where the user sets it. */
export interface Rates {
  /** USD for one ETN as fixed point, times `TICKS`: exact. */
  scaled(time: number): bigint
  /** USD for one ETN, as fixed point. */
  usd(time: number): bigint
  /** The same as a double, for volumes. */
  number(time: number): number
  /** A number that orders computed rates exactly. */
  level(time: number): number
  isComputed(from: number, until: number): boolean
  /** The sources of the price of ETN in a range. */
  pieces(from: number, until: number): Piece[]
}

/** Cached rates: two years of 15-minute periods. */
const MAX_RATES = 70_000
const SCALE = BigInt(TICKS)

export function createRates(seed: number, timeline: () => Timeline): Rates {
  const noise = hash(seed, 20)
  const base = fromDecimal(`0.0022${hash(noise, 1)}${hash(noise, 2)}`)
  const baseNumber = Number(toDecimal(base))
  const levels = new Map<number, number>()

  function level(time: number): number {
    const slot = Math.floor(time / SLOT_SECONDS)
    const known = levels.get(slot)
    if (known !== undefined) return known
    if (levels.size > MAX_RATES) levels.clear()
    const slow = 0.22 * smoothNoise(noise, slot, 96 * 41) + 0.09 * smoothNoise(noise, slot, 96 * 9)
    const fast = 0.04 * smoothNoise(noise, slot, 96) + 0.012 * smoothNoise(noise, slot, 8)
    const made = Math.floor(TICKS * (1 + slow + fast))
    levels.set(slot, made)
    return made
  }

  function scaled(time: number): bigint {
    const segment = timeline().at(time)
    if (segment.kind === 'fixed') return segment.usd * SCALE
    if (segment.kind === 'ramp') return rampAt(segment, time) * SCALE
    return base * BigInt(level(time))
  }

  return {
    scaled,
    level,
    usd: (time) => scaled(time) / SCALE,
    number(time) {
      const { kind } = timeline().at(time)
      return kind === 'computed' ? (baseNumber * level(time)) / TICKS : Number(scaled(time) / SCALE) / Number(ONE)
    },
    isComputed: (from, until) => timeline().isComputed(from, until),
    pieces: (from, until) => timeline().pieces(from, until),
  }
}
