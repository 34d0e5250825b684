import { type ClientOptions, createClient } from 'etn-market'
import { type FakeService, fakeTokens, type WorldOptions } from 'etn-market/fake'
import { createBot } from './bot.ts'

export const { BOLT } = fakeTokens
export const MINE = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa'
export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const START = Date.UTC(2026, 0, 1)

/** The data of the tests: two prices that hold until a test changes them, and a lock that ends in 40 days. */
export const WORLD: WorldOptions = {
  tokens: [
    { address: MINE, symbol: 'MINE', decimals: 6, totalSupply: 1_000_000, usd: '0.5' },
    { address: BOLT, usd: '0.02' },
  ],
  locks: { [MINE]: [{ percentSupply: 40, unlocksInMs: 40 * DAY }], [BOLT]: [] },
}

/** What a check costs: one batch of two prices. Once a day, the locks of two tokens are added. */
export const PRICES = 100 + 2 * 10
export const LOCKS = 2 * 2_000

/** Starts the bot in the fake's time, and records what it sells and reports. */
export function startBot(fake: FakeService, connection: ClientOptions) {
  const client = createClient({ budget: { creditsPerDay: 10_000 }, clock: fake.clock, ...connection })
  const sold: string[] = []
  const notes: string[] = []
  const bot = createBot({
    client,
    holdings: { [BOLT]: 1_000, [MINE]: 200 },
    sellBelow: { [BOLT]: 0.019 },
    sell: (address, usd) => void sold.push(`${address} at ${usd}`),
    notify: (message) => void notes.push(message),
    clock: fake.clock,
  })
  return { bot, client, sold, notes }
}
