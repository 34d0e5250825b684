import { setTimeout } from 'node:timers/promises'
import { type ClientOptions, createClient } from 'etn-market'
import { type FakeService, fakeTokens } from 'etn-market/fake'
import { createBot } from './bot.ts'

export const { BOLT, CORE } = fakeTokens
export const DAY = 86_400_000

/** A moment that the tests start at: at the same moment, the same prices. */
export const clock = { now: () => Date.UTC(2026, 10, 20, 12) }

/** The bot as the tests want it: in the fake's time, with what it tells in a list. */
export function startBot(fake: FakeService, connection: ClientOptions) {
  const client = createClient({
    budget: { credits: 10_000, windowMs: DAY },
    clock: { now: fake.now, random: Math.random, sleep: (ms, signal) => setTimeout(ms, undefined, { signal }) },
    ...connection,
  })
  const told: string[] = []
  const holdings = { [BOLT]: 1_000, [CORE]: 20_000 }
  const bot = createBot({ client, holdings, now: fake.now, tell: (message) => void told.push(message) })
  return { bot, client, told }
}
