import { callStore } from '../../concurrency/call-store.ts'
import type { Trade } from '../../generated/types.ts'
import { every, isArray, isNumber, isObject } from '../../operations/type-guards.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { FeedContext } from '../context.ts'
import { messageOf } from '../failures.ts'
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

/** Nobody waits long for a store when the feed is closed. */
const TIMEOUT_MS = 1_000
const TTL_MS = 30 * DAY_MS

/** Keeps trades across restarts. If the store fails or hangs, the feed buys them again. */
export class TradeStore {
  readonly #context: FeedContext
  /** The newest text of each key that is not yet written. */
  readonly #unwritten = new Map<string, string>()
  /** The write of each key that is under way: the next one of a key follows when it has ended. */
  readonly #writes = new Map<string, Promise<void>>()

  constructor(context: FeedContext) {
    this.#context = context
  }

  /** Resolves with what is known of a token, undefined for all tokens. */
  async readMemory(token: string | undefined): Promise<TradeMemory | undefined> {
    const { clock } = this.#context
    const isValid = (value: unknown): value is TradeMemory => isMemory(value, clock.wall.now())
    const stored = await this.#read(keyOf(token), isValid)
    return stored && withTimes(stored, clock.fromUnix)
  }

  writeMemory(token: string | undefined, memory: TradeMemory): void {
    this.#write(keyOf(token), withTimes(memory, this.#context.clock.toUnix))
  }

  /** Resolves with the newest trades that a reader has read. */
  readPosition(token: string | undefined, reader: string): Promise<readonly Trade[] | undefined> {
    return this.#read(keyOf(token, reader), isTrades)
  }

  writePosition(token: string | undefined, reader: string, trades: readonly Trade[]): void {
    this.#write(keyOf(token, reader), trades)
  }

  /** Resolves when everything is written. */
  async flush(): Promise<void> {
    await Promise.all(this.#writes.values())
  }

  async #read<T>(key: string, isValid: (value: unknown) => value is T): Promise<T | undefined> {
    return this.#context.checkedStore?.read(key, (value) => {
      if (isValid(value)) return value
      throw new Error(`The store has an invalid entry of trades (${key}). It is ignored.`)
    })
  }

  #write(key: string, value: unknown): void {
    this.#unwritten.set(key, JSON.stringify(value))
    if (!this.#writes.has(key)) this.#writes.set(key, this.#writeAll(key))
  }

  async #writeAll(key: string): Promise<void> {
    const { clock, emit, store } = this.#context
    for (let text = this.#unwritten.get(key); text !== undefined; text = this.#unwritten.get(key)) {
      const newest = text
      this.#unwritten.delete(key)
      await callStore(() => store?.set(key, newest, TTL_MS), { clock, timeoutMs: TIMEOUT_MS }).catch((error) =>
        emit({ type: 'feed.store_failed', message: messageOf(error) }),
      )
    }
    this.#writes.delete(key)
  }
}

/** The same with other times: those of the clock of the feed end with the process, so a store has unix milliseconds. */
function withTimes(memory: TradeMemory, convert: (time: number) => number): TradeMemory {
  const { at, cost } = memory
  return { ...memory, at: convert(at), cost: { ...cost, intervalStart: convert(cost.intervalStart) } }
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
  if (!isNumber(intervalStart) || intervalStart > now) return false
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
