import { setTimeout } from 'node:timers/promises'
import {
  BudgetExceededError,
  type Client,
  ConnectionError,
  InsufficientCreditsError,
  RateLimitError,
  ServerBusyError,
  ServiceError,
  TimeoutError,
  unlocksAt,
} from 'etn-market'

const DAY = 86_400_000

export interface BotOptions {
  client: Client
  /** How much is held of each token, by address. */
  holdings: Readonly<Record<string, number>>
  tell(message: string): void
  /** Tells of a price that moved by this fraction since it was told of last. @default 0.05 */
  threshold?: number
  /** @default Date.now */
  now?: () => number
}

/** What the portfolio is worth in USD; not `fresh` when it is what it was worth at the last known prices. */
export interface Look {
  value: number
  fresh: boolean
}

/**
 * Values a portfolio, tells of prices that moved, and once a day of liquidity that unlocks within a month.
 * What goes wrong for a moment is left for the next look: a retry could be paid for twice. Without credits it stops.
 */
export function createBot({ client, holdings, tell, threshold = 0.05, now = Date.now }: BotOptions) {
  const addresses = Object.keys(holdings)
  const prices = new Map<string, number>()
  const toldAt = new Map<string, number>()
  let locksDue = 0

  async function updatePrices(): Promise<void> {
    const answer = await client.prices.batch({ addresses }, { retry: false })
    for (const address of addresses) {
      const price = Number(answer[address]?.usd ?? Number.NaN)
      if (price > 0) notice(address, price)
    }
  }

  function notice(address: string, price: number): void {
    prices.set(address, price)
    const before = toldAt.get(address)
    const change = before === undefined ? 0 : price / before - 1
    if (before !== undefined && Math.abs(change) < threshold) return
    toldAt.set(address, price)
    if (change !== 0) tell(`${address} moved by ${(100 * change).toFixed(1)} %`)
  }

  async function checkLocks(): Promise<void> {
    for (const address of addresses) {
      const locks = await client.locks.get({ address }, { retry: false })
      const ends = locks.filter(({ active }) => active).map((lock) => unlocksAt(lock).getTime())
      const soon = ends.filter((end) => end < now() + 30 * DAY).length
      if (soon > 0) tell(`${address}: ${soon} locks open within a month`)
    }
    locksDue = now() + DAY
  }

  /** One look at the market. Throws when the credits have run out, and when the bot itself is wrong. */
  async function look(): Promise<Look> {
    const fresh = await tolerate(updatePrices)
    if (now() >= locksDue) await tolerate(checkLocks)
    const value = addresses.reduce((sum, address) => sum + (holdings[address] ?? 0) * (prices.get(address) ?? 0), 0)
    return { value, fresh }
  }

  /** Looks again and again, until the credits have run out or the signal aborts. */
  async function run({ everyMs, signal }: { everyMs: number; signal?: AbortSignal }): Promise<void> {
    while (!signal?.aborted) {
      try {
        await look()
      } catch (error) {
        if (!(error instanceof BudgetExceededError || error instanceof InsufficientCreditsError)) throw error
        return tell(`Stopped: ${error.message}`)
      }
      await setTimeout(everyMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Whether it worked; what may work next time is told and passed over. */
  async function tolerate(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!PASSING.some((Passing) => error instanceof Passing)) throw error
      tell(`Going on with what is known: ${(error as Error).message}`)
      return false
    }
  }

  return { look, run }
}

const PASSING = [ConnectionError, RateLimitError, ServerBusyError, ServiceError, TimeoutError]
