import type { EtnMarketError } from 'etn-market'
import { expect } from 'vitest'
import type { Handler } from './script.ts'
import { setup, watch, withoutIds } from './setup.ts'

const LIMIT = 10_000
/** The worst case of token.list with a limit of 20, in credits. */
export const WORST = 200

/** Makes one call of token.list with a limit of 20 and waits until it has ended. */
export async function attempt(answer: Handler, retry: false | { limit: number } = false) {
  const made = setup(answer, { budget: { credits: LIMIT }, retry, timeoutMs: 1_000 })
  const outcome = watch(made.client.token.list({ limit: 20 }).withMeta())
  await made.clock.advance(0)
  await made.clock.advance(30_000)
  const { spent, reserved, uncertain, available } = made.client.budget
  expect(reserved).toBe(0)
  expect(available).toBe(LIMIT - spent - uncertain)
  const creditEvents = made.events.filter(({ type }) => type.startsWith('credits.')).map(withoutIds)
  return { ...made, outcome, error: outcome.error as EtnMarketError, money: { spent, uncertain }, creditEvents }
}
