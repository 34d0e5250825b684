/** The code under test: a bot that watches a portfolio. It knows nothing of the fake service. */
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
/** Errors of calls that may succeed at the next check. */
const TRANSIENT = [ConnectionError, RateLimitError, ServerBusyError, ServiceError, TimeoutError]

export interface BotOptions {
  client: Client
  /** Amount of each token, by address. */
  holdings: Readonly<Record<string, number>>
  /** Prices in USD below which a token is sold, by address. */
  sellBelow: Readonly<Record<string, number>>
  sell(address: string, usd: number): void
  notify(message: string): void
  /** The system's clock, or that of a fake service. */
  clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> }
}

/** The value of the portfolio in USD. Not `fresh` if it is that of the last known prices. */
export interface Valuation {
  value: number
  fresh: boolean
}

/**
 * Values a portfolio, sells what falls below its limit, and reports once a day what liquidity unlocks within a month. A call
 * that fails for a moment is left to the next check, because a retry may be charged too. Without credits the bot stops.
 */
export function createBot({ client, holdings, sellBelow, sell, notify, clock }: BotOptions) {
  const addresses = Object.keys(holdings)
  const prices = new Map<string, number>()
  const sold = new Set<string>()
  let locksDue = 0

  async function updatePrices(): Promise<void> {
    const answer = await client.prices.batch({ addresses }, { retry: false })
    for (const address of addresses) {
      const price = Number(answer[address]?.usd ?? Number.NaN)
      // A price of 0 or none keeps the last known one.
      if (price > 0) prices.set(address, price)
    }
  }

  function sellCheapTokens(): void {
    for (const [address, limit] of Object.entries(sellBelow)) {
      const price = prices.get(address)
      if (price === undefined || price >= limit || sold.has(address)) continue
      sold.add(address)
      sell(address, price)
    }
  }

  async function checkLocks(): Promise<void> {
    for (const address of addresses) {
      const locks = await client.locks.get({ address }, { retry: false })
      const ends = locks.filter(({ active }) => active).map((lock) => unlocksAt(lock).getTime())
      const soon = ends.filter((end) => end < clock.now() + 30 * DAY).length
      if (soon > 0) notify(`${address}: locks that end within a month: ${soon}`)
    }
    locksDue = clock.now() + DAY
  }

  /** Checks the market once. Throws when the credits have run out, and when the bot itself is wrong. */
  async function check(): Promise<Valuation> {
    const fresh = await tryOnce(updatePrices)
    if (fresh) sellCheapTokens()
    if (clock.now() >= locksDue) await tryOnce(checkLocks)
    const value = addresses.reduce((sum, address) => sum + (holdings[address] ?? 0) * (prices.get(address) ?? 0), 0)
    return { value, fresh }
  }

  /** Checks again and again, until the credits have run out or the signal aborts. */
  async function run({ everyMs, signal }: { everyMs: number; signal?: AbortSignal }): Promise<void> {
    while (!signal?.aborted) {
      try {
        await check()
      } catch (error) {
        if (!(error instanceof BudgetExceededError || error instanceof InsufficientCreditsError)) throw error
        return notify(`Stopped: ${error.message}`)
      }
      await clock.sleep(everyMs, signal).catch(() => {})
    }
  }

  /** Whether it succeeded. A transient error is reported. */
  async function tryOnce(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!TRANSIENT.some((Transient) => error instanceof Transient)) throw error
      notify(`Next check tries again: ${(error as Error).message}`)
      return false
    }
  }

  return { check, run }
}
