import { EntryStore } from '../../credits/stored-budget.ts'
import type { Trade } from '../../generated/types.ts'
import { every, isArray, isNumber, isObject } from '../../operations/type-guards.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { CheckedStore } from '../checked-store.ts'
import { type FeedEvent, messageOf } from '../events.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { FeedStore } from '../types.ts'
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

/** Keeps trades across restarts. If the store fails or hangs, the feed buys them again. */
export interface TradeStore {
  /** Resolves with what is known of a token, undefined for all tokens. */
  readMemory(token: string | undefined): Promise<TradeMemory | undefined>
  writeMemory(token: string | undefined, memory: TradeMemory): void
  /** Resolves with the newest trades that a reader has read. */
  readPosition(token: string | undefined, reader: string): Promise<readonly Trade[] | undefined>
  writePosition(token: string | undefined, reader: string, trades: readonly Trade[]): void
  /** Resolves when everything is written. */
  flush(): Promise<void>
}

interface Entry {
  text: string
  /** Number of writes that have not ended. */
  pending: number
  save(): Promise<void>
}

const TIMEOUT_MS = 1_000
const TTL_MS = 30 * DAY_MS

export interface TradeStoreParts {
  readonly store: FeedStore
  readonly checked: CheckedStore
  readonly clock: FeedClock
  emit(event: FeedEvent): void
}

export function createTradeStore({ store, checked, clock, emit }: TradeStoreParts): TradeStore {
  const failed = (error: unknown) => emit({ type: 'feed.store_failed', message: messageOf(error) })
  const withTtl = {
    get: (key: string) => store.get(key),
    set: (key: string, value: string) => store.set(key, value, TTL_MS),
  }
  const entries = new Map<string, Entry>()
  const writes = new Set<Promise<void>>()

  const read = <T>(key: string, isValid: (value: unknown) => value is T) =>
    checked.read(key, (value) => {
      if (isValid(value)) return value
      throw new Error(`The store has an invalid entry of trades (${key}). It is ignored.`)
    })

  function write(key: string, value: unknown): void {
    const entryStore = new EntryStore(withTtl, key, TIMEOUT_MS, () => entry.text)
    const entry: Entry = entries.get(key) ?? { text: '', pending: 0, save: () => entryStore.save() }
    entries.set(key, entry)
    entry.text = JSON.stringify(value)
    entry.pending++
    const written: Promise<void> = entry
      .save()
      .catch(failed)
      .finally(() => {
        writes.delete(written)
        if (--entry.pending === 0) entries.delete(key)
      })
    writes.add(written)
  }

  return {
    async readMemory(token) {
      const stored = await read(keyOf(token), (value): value is TradeMemory => isMemory(value, clock.wall.now()))
      return stored && withTimes(stored, clock.fromUnix)
    },
    writeMemory: (token, memory) => write(keyOf(token), withTimes(memory, clock.toUnix)),
    readPosition: (token, reader) => read(keyOf(token, reader), isTrades),
    writePosition: (token, reader, trades) => write(keyOf(token, reader), trades),
    flush: async () => void (await Promise.all(writes)),
  }
}

/** The same with other times: those of the clock of the feed end with the process, so a store has unix milliseconds. */
function withTimes(memory: TradeMemory, convert: (time: number) => number): TradeMemory {
  const { at, cost } = memory
  const { intervalStart, ...rest } = cost
  const converted = intervalStart === undefined ? rest : { ...rest, intervalStart: convert(intervalStart) }
  return { ...memory, at: convert(at), cost: converted }
}

function keyOf(token = 'all', reader?: string): string {
  const key = `etn-market:feed:trades:1:${token.toLowerCase()}`
  return reader === undefined ? key : `${key}:${reader}`
}

function isMemory(value: unknown, now: number): value is TradeMemory {
  if (!isObject(value) || !isTrades(value.trades) || typeof value.isComplete !== 'boolean') return false
  const { at, everyMs, cost } = value
  if (!isNumber(at) || at > now || !isNumber(everyMs) || everyMs <= 0 || !isObject(cost)) return false
  const { saved, rate, intervalStart } = cost
  if (intervalStart !== undefined && !(isNumber(intervalStart) && intervalStart <= now)) return false
  return isNumber(saved) && (rate === null || isNumber(rate))
}

function isTrades(value: unknown): value is readonly Trade[] {
  return isArray(value) && value.length <= PAGE_SIZE && every(value, isTrade)
}

function isTrade(value: unknown): boolean {
  if (!isObject(value)) return false
  const { timestamp, hash, pool, token0, token1, amount0, amount1, usd, sender } = value
  const texts = [hash, pool, token0, token1, amount0, amount1, usd, sender]
  return (timestamp == null || isNumber(timestamp)) && texts.every((text) => text == null || typeof text === 'string')
}
