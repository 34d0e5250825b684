import { describe, expect, test } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(7)
const STEPS = Array.from({ length: 40 }, (_, step) => step)

/** Lets so many microtasks pass. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await Promise.resolve()
}

describe('aborted at any moment of a call', () => {
  test.each(STEPS)('after %i microtasks, before an answer', async (count) => {
    const { client, clock, script } = setup(undefined, { budget: { credits: 100 } })
    const caller = new AbortController()
    const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    if (count > 0) await steps(count)
    const sent = script.requests.length
    caller.abort('enough')
    await flush()
    expect(outcome).toEqual({ state: 'rejected', error: 'enough' })
    // What was not sent by then is never sent, and cannot have been charged.
    expect(script.requests).toHaveLength(sent)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 50 * sent })
    expect(clock.pending).toBe(0)
  })

  test.each(STEPS)('after %i microtasks, with a fetch that does not listen', async (count) => {
    const { client, script } = setup(undefined, { budget: { credits: 100 } }, { deaf: true })
    const caller = new AbortController()
    watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    if (count > 0) await steps(count)
    const sent = script.requests.length
    caller.abort('enough')
    await flush()
    expect(script.requests).toHaveLength(sent)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 50 * script.requests.length })
  })

  test.each(STEPS)(
    'after %i microtasks, with an answer that comes: what was charged is settled either way',
    async (count) => {
      const { client, clock, script } = setup(() => ok(price(TOKEN), costs(50)), { budget: { credits: 100 } })
      const caller = new AbortController()
      const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
      if (count > 0) await steps(count)
      caller.abort('enough')
      await flush()
      expect(outcome.state).not.toBe('pending')
      const { spent, uncertain, reserved } = client.budget
      expect(reserved).toBe(0)
      expect(spent + uncertain).toBe(50 * script.requests.length)
      expect(clock.pending).toBe(0)
    },
  )
})

describe('aborted by the listener of events', () => {
  test.each(['request.sent', 'request.failed', 'retry.scheduled'])('at %s', async (type) => {
    const caller = new AbortController()
    const told: string[] = []
    const { client, clock, script } = setup(
      ({ number }) => (number === 1 && type !== 'request.sent' ? new Error('x') : ok(price(TOKEN), costs(50))),
      {
        onEvent: (event) => {
          told.push(event.type)
          if (event.type === type) caller.abort('seen')
        },
      },
    )
    const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    await clock.advance(10_000)
    expect(outcome).toEqual({ state: 'rejected', error: 'seen' })
    expect(script.requests.length).toBeLessThanOrEqual(1)
    const count = (what: string) => told.filter((one) => one === what).length
    expect(count('request.failed')).toBe(count('request.sent'))
    expect(clock.pending).toBe(0)
  })

  test('closed by it at request.sent', async () => {
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
