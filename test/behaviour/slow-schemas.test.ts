import { expect, test, vi } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { address, setup, watch } from '../support/setup.ts'

// The client loads the schemas at the first mismatch. Here they never arrive, as on a page that has lost its network.
vi.mock('../../src/generated/answer-schemas.ts', () => new Promise(() => {}))

const TOKEN = address(1)
const start = () => setup(() => ok({ other: 'shape' }, costs(50)))

test('an abort does not wait for the schemas that explain a mismatch', async () => {
  const { clock, client } = start()
  const caller = new AbortController()
  const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
  await clock.advance(10)
  expect(outcome.state).toBe('pending')
  caller.abort('enough')
  await clock.advance(10)
  expect(outcome).toEqual({ state: 'rejected', error: 'enough' })
})

test('the deadline does not wait for the schemas that explain a mismatch', async () => {
  const { clock, client } = start()
  const outcome = watch(client.token.price({ address: TOKEN }, { deadlineMs: 1_000 }))
  await clock.advance(999)
  expect(outcome.state).toBe('pending')
  await clock.advance(1)
  expect(outcome.error).toMatchObject({ code: 'deadline_exceeded', charge: 'charged', credits: 50 })
})

test('client.close() does not wait for the schemas that explain a mismatch', async () => {
  const { clock, client } = start()
  const outcome = watch(client.token.price({ address: TOKEN }))
  await clock.advance(10)
  expect(outcome.state).toBe('pending')
  const closed = watch(client.close())
  await clock.advance(10)
  expect(outcome.error).toMatchObject({ code: 'client_closed' })
  expect(closed.state).toBe('resolved')
})
