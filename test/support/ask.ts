import type { EtnMarketError } from 'etn-market'
import { expect } from 'vitest'
import { costs, ok, price } from './answers.ts'
import type { Handler } from './script.ts'
import { address, setup, watch } from './setup.ts'

export const TOKEN = address(1)
/** What every error says of the call that `ask` makes. */
export const CALL = { operation: 'token.price', params: { address: TOKEN }, requestIds: ['1.1'] }
export const good = () => ok(price(TOKEN), costs(50))

/** Makes one call to a service whose first `failures` attempts fail, and waits until it has ended. */
export async function ask(fail: Handler, failures: number, options: Parameters<typeof setup>[1] = {}) {
  const made = setup((exchange) => (exchange.number <= failures ? fail(exchange) : good()), {
    timeoutMs: 1_000,
    ...options,
  })
  const outcome = watch(made.client.token.price({ address: TOKEN }).withMeta())
  await made.clock.advance(59_000)
  expect(made.clock.pending).toBe(0)
  return { ...made, outcome, error: outcome.error as EtnMarketError }
}
