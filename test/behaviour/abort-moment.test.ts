import { describe, expect, test } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(7)
const STEPS = Array.from({ length: 40 }, (_, step) => step)

/** Waits for this many microtasks. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await Promise.resolve()
}

/** What arrived was charged; what was sent may have been. Without a real connection, all that is sent arrives. */
function expectBetween(credits: number, charged: number, sent: number): void {
  expect(credits).toBeGreaterThanOrEqual(charged)
  expect(credits).toBeLessThanOrEqual(sent)
}

describe('a call that is aborted at any moment', () => {
  test.each(STEPS)(
    'after %i microtasks, while it waits for the answer: rejects with the reason and sends nothing more',
    async (count) => {
      const { client, clock, script } = setup(undefined, { budget: { credits: 100 } })
      const caller = new AbortController()
      const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
      if (count > 0) await steps(count)
      const sent = script.requests.length
      caller.abort('enough')
      await flush()
      expect(outcome).toEqual({ state: 'rejected', error: 'enough' })
      // A request that was not sent before the abort is never sent, so it cannot be charged.
      expect(script.requests).toHaveLength(sent)
      const { reserved, uncertain } = client.budget
      expect([reserved, uncertain % 50]).toEqual([0, 0])
      expectBetween(uncertain, 50 * script.arrived, 50 * sent)
      expect(clock.pending).toBe(0)
    },
  )

  test.each(STEPS)(
    'after %i microtasks, with a transport that ignores the signal: sends nothing more',
    async (count) => {
      const { client, script } = setup(undefined, { budget: { credits: 100 } }, { ignoresAbort: true })
      const caller = new AbortController()
      watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
      if (count > 0) await steps(count)
      const sent = script.requests.length
      caller.abort('enough')
      await flush()
      expect(script.requests).toHaveLength(sent)
      expect(client.budget).toMatchObject({ reserved: 0, uncertain: 50 * script.requests.length })
    },
  )

  test.each(STEPS)('after %i microtasks, while the answer arrives: settles what was charged', async (count) => {
    const { client, clock, script } = setup(() => ok(price(TOKEN), costs(50)), { budget: { credits: 100 } })
    const caller = new AbortController()
    const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    if (count > 0) await steps(count)
    caller.abort('enough')
    await flush()
    expect(outcome.state).not.toBe('pending')
    const { spent, uncertain, reserved } = client.budget
    expect(reserved).toBe(0)
    expectBetween(spent + uncertain, 50 * script.arrived, 50 * script.requests.length)
    expect(clock.pending).toBe(0)
  })
})

describe('a call that an event listener aborts', () => {
  test.each(['request.sent', 'request.failed', 'retry.scheduled'])(
    'at the event %s: rejects with the reason',
    async (type) => {
      const caller = new AbortController()
      const types: string[] = []
      const { client, clock, script } = setup(
        ({ number }) => (number === 1 && type !== 'request.sent' ? new Error('x') : ok(price(TOKEN), costs(50))),
        {
          onEvent: (event) => {
            types.push(event.type)
            if (event.type === type) caller.abort('seen')
          },
        },
      )
      const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
      await clock.advance(10_000)
      expect(outcome).toEqual({ state: 'rejected', error: 'seen' })
      expect(script.requests.length).toBeLessThanOrEqual(1)
      const count = (type: string) => types.filter((each) => each === type).length
      expect(count('request.failed')).toBe(count('request.sent'))
      expect(clock.pending).toBe(0)
    },
  )

  test('at the event request.sent, by closing the client: rejects with client_closed', async () => {
    const made = setup(() => ok(price(TOKEN), costs(50)), {
      onEvent: (event) => {
        if (event.type === 'request.sent') void made.client.close()
      },
    })
    const outcome = watch(made.client.token.price({ address: TOKEN }))
    await made.clock.advance(10_000)
    expect(outcome.error).toMatchObject({ code: 'client_closed' })
  })
})
