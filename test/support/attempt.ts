import type { EtnMarketError } from 'etn-market'
import { expect } from 'vitest'
import type { Handler } from './script.ts'
import { setup, watch } from './setup.ts'

const LIMIT = 10_000
/** Worst case of token.list with a limit of 20. */
export const WORST = 200

/** One attempt of token.list with a limit of 20: worst case 200 credits. */
export async function attempt(answer: Handler, retry: false | { limit: number } = false) {
  const made = setup(answer, { budget: { credits: LIMIT }, retry, timeoutMs: 1_000 })
  const outcome = watch(made.client.token.list({ limit: 20 }).withMeta())
  await made.clock.advance(0)
  await made.clock.advance(30_000)
  const { spent, reserved, uncertain, available } = made.client.budget
  expect(reserved).toBe(0)
  expect(available).toBe(LIMIT - spent - uncertain)
  const told = made.events.filter(({ type }) => type.startsWith('credits.'))
  return { ...made, outcome, error: outcome.error as EtnMarketError, money: { spent, uncertain }, told }
}
