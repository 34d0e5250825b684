import { createClient } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, limited, ok, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { createScript } from '../support/script.ts'
import { addresses, BASE_URL, KEY, type Outcome, setup, watch } from '../support/setup.ts'

const locks = () => ok([], costs(2_000))
const states = (outcomes: readonly Outcome<unknown>[], state: string) =>
  outcomes.filter((outcome) => outcome.state === state).length

describe('calls that end together send nothing on their way out', () => {
  test.each([1, 20])('twenty heavy calls with %i signals, aborted one microtask after the other', async (count) => {
    const { client, clock, script } = setup(undefined, { budget: { credits: 100_000 } })
    const callers = Array.from({ length: count }, () => new AbortController())
    const outcomes = addresses(20).map((token, index) =>
      watch(client.locks.get({ address: token }, { signal: callers[index % count]?.signal })),
    )
    await clock.advance(100)
    for (const caller of callers) {
      caller.abort(new Error('enough'))
      for (let step = 0; step < 12; step++) await Promise.resolve()
    }
    await flush()
    expect(script.requests).toHaveLength(2)
    expect(states(outcomes, 'rejected')).toBe(20)
    expect(client.budget).toMatchObject({ uncertain: 4_000, reserved: 0, spent: 0 })
    expect(clock.pending).toBe(0)
  })

  test('the deadlines of calls that wait out a 429', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? limited(wait(3)) : undefined), {
      deadlineMs: 3_500,
      retry: false,
      budget: { credits: 100_000 },
    })
    watch(client.etn.price())
    await clock.advance(0)
    const outcomes = addresses(20).map((token) => watch(client.token.price({ address: token })))
    await clock.advance(3_499)
    expect(script.requests).toHaveLength(2)
    await clock.advance(1_000)
    expect(script.requests).toHaveLength(2)
    expect(states(outcomes, 'rejected')).toBe(20)
    expect(client.budget).toMatchObject({ uncertain: 50, reserved: 0 })
    const errors = outcomes.map(({ error }) => error as { attempts: number; charge: string })
    expect(errors.filter(({ attempts, charge }) => attempts === 0 && charge === 'none')).toHaveLength(19)
  })

  test('a queued call that is aborted in the turn in which its slot becomes free', async () => {
    const { client, clock, script } = setup(undefined, { heavyConcurrency: 1, budget: { credits: 10_000 } })
    const [first, second] = addresses(2)
    const caller = new AbortController()
    const ahead = watch(client.locks.get({ address: first ?? '' }).then(() => caller.abort('not needed')))
    const queued = watch(client.locks.get({ address: second ?? '' }, { signal: caller.signal }))
    await clock.advance(0)
    script.open[0]?.answer(locks())
    await flush()
    expect(ahead.state).toBe('resolved')
    expect(queued).toEqual({ state: 'rejected', error: 'not needed' })
    expect(script.requests).toHaveLength(1)
    expect(client.budget).toMatchObject({ spent: 2_000, reserved: 0, uncertain: 0 })
  })

  test('the client is closed', async () => {
    const { client, clock, script } = setup(undefined, { budget: { credits: 100_000 } })
    const outcomes = addresses(10).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(0)
    await client.close()
    expect(script.requests).toHaveLength(2)
    expect(states(outcomes, 'rejected')).toBe(10)
    const errors = outcomes.map(({ error }) => error as { attempts: number; charge: string; code: string })
    expect(errors.map(({ code }) => code)).toEqual(Array(10).fill('client_closed'))
    expect(errors.map(({ attempts, charge }) => `${attempts} ${charge}`)).toEqual([
      ...Array(2).fill('1 unknown'),
      ...Array(8).fill('0 none'),
    ])
  })
})

test('with an AbortSignal.timeout for each call, in real time, none is sent after its own has ended', async () => {
  const signals = new Map(addresses(20).map((token) => [token, AbortSignal.timeout(120)]))
  const late: string[] = []
  const client = createClient({
    apiKey: KEY,
    baseUrl: BASE_URL,
    ...createScript().options,
    budget: { credits: 1_000_000 },
    onEvent(event) {
      if (event.type !== 'request.sent') return
      const { address } = event.params as { address: string }
      if (signals.get(address)?.aborted) late.push(address)
    },
  })
  const outcomes = [...signals].map(([token, signal]) => watch(client.locks.get({ address: token }, { signal })))
  await expect.poll(() => states(outcomes, 'pending')).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(late).toEqual([])
  expect(states(outcomes, 'rejected')).toBe(20)
  expect(client.budget.reserved).toBe(0)
})
