import type { Trade } from '../../generated/types.ts'
import { every, isArray, isNumber, isObject } from '../../operations/type-guards.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import { PAGE_SIZE, type TradeCostState } from './cost.ts'
import type { TradePage } from './dedupe.ts'

/** What is known of the trades of a token. */
export interface TradeMemory extends TradePage {
  /** When the newest page was requested, by the clock of the feed; unix milliseconds in a store. */
  readonly at: number
  /** Milliseconds between requests that suit the number of trades. */
  readonly everyMs: number
  readonly cost: TradeCostState
}

/** How long trades are kept, in milliseconds. */
export const TRADES_TTL_MS = 30 * DAY_MS

/** The key of what is known of a token, undefined for all tokens; with a reader, of the newest trades that it has read. */
export function tradesKey(token = 'all', reader?: string): string {
  const key = `etn-market:feed:trades:1:${token.toLowerCase()}`
  return reader === undefined ? key : `${key}:${reader}`
}

/** The same with other times: those of the clock of the feed end with the process, so a store has unix milliseconds. */
export function withTimes(memory: TradeMemory, convert: (time: number) => number): TradeMemory {
  const { at, cost } = memory
  return { ...memory, at: convert(at), cost: { ...cost, intervalStart: convert(cost.intervalStart) } }
}

export function isMemory(value: unknown, now: number): value is TradeMemory {
  if (!isObject(value) || !isTrades(value.trades) || typeof value.isComplete !== 'boolean') return false
  const { at, everyMs, cost } = value
  if (!isNumber(at) || at > now || !isNumber(everyMs) || everyMs <= 0 || !isObject(cost)) return false
  const { saved, rate, intervalStart } = cost
  if (!isNumber(intervalStart) || intervalStart > now) return false
  return isNumber(saved) && (rate === null || isNumber(rate))
}

export function isTrades(value: unknown): value is readonly Trade[] {
  return isArray(value) && value.length <= PAGE_SIZE && every(value, isTrade)
}

function isTrade(value: unknown): boolean {
  if (!isObject(value)) return false
  const { timestamp, hash, pool, token0, token1, amount0, amount1, usd, sender } = value
  const texts = [hash, pool, token0, token1, amount0, amount1, usd, sender]
  return (timestamp == null || isNumber(timestamp)) && texts.every((text) => text == null || typeof text === 'string')
}
