import type { Client } from 'etn-market'
import { expect, test, vi } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { address, setup, watch } from '../support/setup.ts'

// The client loads the schemas at the first mismatch. Here they never arrive, as on a page that has lost its network.
vi.mock('../../src/operations/explain-mismatch.ts', () => ({ explainMismatch: () => new Promise(() => {}) }))

test.each<[string, (client: Client, caller: AbortController) => unknown, unknown]>([
  ['an abort', (_, caller) => caller.abort('enough'), 'enough'],
  ['the deadline', () => {}, { code: 'deadline_exceeded', charge: 'charged', credits: 50 }],
  ['client.close()', (client) => client.close(), { code: 'client_closed' }],
])('%s does not wait for the schemas that explain a mismatch', async (_, end, error) => {
  const { clock, client } = setup(() => ok({ other: 'shape' }, costs(50)))
  const caller = new AbortController()
  const options = { signal: caller.signal, deadlineMs: 1_000 }
  const outcome = watch(client.token.price({ address: address(1) }, options))
  await clock.advance(990)
  expect(outcome.state).toBe('pending')
  const ended = watch(Promise.resolve(end(client, caller)))
  await clock.advance(10)
  expect(ended.state).toBe('resolved')
  expect(outcome.error).toEqual(typeof error === 'string' ? error : expect.objectContaining(error))
})
