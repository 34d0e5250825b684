import { createBudget, createClient, type Hooks } from 'etn-market'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { costs, limited, ok, price, wait } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { createScript, type Handler } from '../support/script.ts'
import { address, addresses, BASE_URL, KEY, setup, watch } from '../support/setup.ts'

const PRICE = 50
const answer: Handler = ({ url }) => ok(price(url.pathname.slice(-42)), costs(PRICE))

/** A hook that holds every request until it is let go. */
function holding() {
  const held: (() => void)[] = []
  const hooks: Hooks = { beforeRequest: [() => new Promise<void>((resolve) => held.push(resolve))] }
  return { hooks, held, release: () => held.splice(0).map((resolve) => resolve()) }
}

/** A store that takes its time. */
function slowStore(clock: { sleep(ms: number): Promise<void> }, ms: number) {
  const kept = new Map<string, string>()
  return {
    kept,
    async get(key: string) {
      await clock.sleep(ms)
      return kept.get(key)
    },
    async set(key: string, value: string) {
      await clock.sleep(ms)
      kept.set(key, value)
    },
  }
}

describe('a hook that waits over the end of a window', () => {
  testProperty(
    'whatever waits, and with a store: no window has more than its limit sent, and each call ends',
    fc.asyncProperty(
      fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 700 }), holdMs: fc.integer({ min: 0, max: 2_500 }) }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.constantFrom(undefined, 0, 70),
      async (calls, storeMs) => {
        const clock = createVirtualClock()
        const windowMs = 1_000
        const sentAt: number[] = []
        const script = createScript((exchange) => {
          sentAt.push(clock.now())
          return answer(exchange)
        })
        const credits = 2 * PRICE
        const budget =
          storeMs === undefined
            ? createBudget({ credits, windowMs }, clock)
            : createBudget({ credits, windowMs, store: slowStore(clock, storeMs), exclusiveKey: true }, clock)
        const holds = new Map(addresses(calls.length).map((token, index) => [token, calls[index]?.holdMs ?? 0]))
        let runs = 0
        const client = createClient({
          apiKey: KEY,
          baseUrl: BASE_URL,
          ...script.options,
          clock,
          budget,
          hooks: {
            beforeRequest: [
              ({ request }) => {
                runs++
                return clock.sleep(holds.get(request.url.slice(-42)) ?? 0)
              },
            ],
          },
        })
        const outcomes = []
        for (const [index, { afterMs }] of calls.entries()) {
          await clock.advance(afterMs)
          outcomes.push(watch(client.token.price({ address: address(index) })))
        }
        await clock.advance(60_000)
        const windows = new Map<number, number>()
        for (const at of sentAt) {
          const window = Math.floor(at / windowMs)
          windows.set(window, (windows.get(window) ?? 0) + PRICE)
        }
        expect(Math.max(0, ...windows.values())).toBeLessThanOrEqual(credits)
        expect(outcomes.filter(({ state }) => state === 'pending')).toEqual([])
        const refused = outcomes.filter(({ state }) => state === 'rejected')
        for (const { error } of refused) expect(error).toMatchObject({ code: 'budget_exceeded', attempts: 0 })
        expect(script.requests).toHaveLength(calls.length - refused.length)
        // A store that writes makes no hook run twice.
        expect(runs).toBeLessThanOrEqual(calls.length)
        expect(clock.pending).toBe(0)
      },
    ),
    { cases: 12 },
  )

  test('waits until the reservation is written in the store, and a store that fails sends nothing', async () => {
    const { hooks, release } = holding()
    const clock = createVirtualClock()
    const script = createScript(answer)
    const store = slowStore(clock, 300)
    const budget = createBudget({ credits: 200, windowMs: 10_000, store }, clock)
    const client = createClient({ apiKey: KEY, baseUrl: BASE_URL, ...script.options, clock, hooks, budget })
    const outcome = watch(client.token.price({ address: address(1) }))
    await clock.advance(10_000)
    release()
    await clock.advance(299)
    expect([script.requests.length, budget.reserved]).toEqual([0, PRICE])
    await clock.advance(1)
    expect([script.requests.length, outcome.state]).toEqual([1, 'resolved'])
    const failing = watch(client.token.price({ address: address(2) }))
    await clock.advance(10_000)
    store.set = () => Promise.reject(new Error('full'))
    release()
    await clock.advance(1_000)
    expect(failing.error).toMatchObject({ code: 'state_unavailable', attempts: 0, charge: 'none' })
    expect([script.requests.length, budget.reserved]).toEqual([1, 0])
  })
})

describe('a hook that waits while another call meets a 429', () => {
  test('holds 39 calls: they wait for the end of the cool-down, and the refusals of a minute never exceed 15', async () => {
    const { hooks, held, release } = holding()
    let isFull = true
    const refusedAt: number[] = []
    let worst = 0
    const made = setup(
      (exchange) => {
        const now = made.clock.now()
        if (isFull) refusedAt.push(now)
        const inFlight = made.script.open.length - (isFull ? 1 : 0)
        worst = Math.max(worst, refusedAt.filter((at) => now - at < 60_000).length + inFlight)
        return isFull ? limited(wait(1)) : answer(exchange)
      },
      { hooks, retry: false, timeoutMs: 600_000, deadlineMs: 600_000, budget: { credits: 100_000 } },
    )
    const { client, clock, script } = made
    const calls = addresses(39).map((token) => watch(client.token.price({ address: token })))
    const first = watch(client.etn.price())
    await clock.advance(0)
    expect(held).toHaveLength(40)
    held.pop()?.()
    await clock.advance(0)
    expect(first.error).toMatchObject({ code: 'rate_limited', attempts: 1 })
    release()
    for (let second = 0; second < 90; second++) {
      await clock.advance(1_000)
      release()
    }
    expect(worst).toBeLessThanOrEqual(15)
    isFull = false
    for (let second = 0; second < 400; second++) {
      await clock.advance(1_000)
      release()
    }
    expect(worst).toBeLessThanOrEqual(15)
    expect(calls.filter(({ state }) => state === 'pending')).toEqual([])
    const sent = new Set(script.requests.map(({ url }) => url.pathname))
    expect(script.requests).toHaveLength(sent.size)
    for (const { error } of calls) if (error) expect(error).toMatchObject({ code: 'rate_limited', charge: 'none' })
    expect(clock.pending).toBe(0)
  })

  test('runs its hooks again, with the same attempt', async () => {
    const { hooks, held, release } = holding()
    const attempts: number[] = []
    hooks.beforeRequest?.push(({ operation, attempt }) => void (operation === 'token.price' && attempts.push(attempt)))
    const { client, clock, script } = setup(
      (exchange) => (exchange.number === 1 ? limited(wait(2)) : answer(exchange)),
      {
        hooks,
        retry: false,
      },
    )
    const outcome = watch(client.token.price({ address: address(1) }).withMeta())
    watch(client.etn.price())
    await clock.advance(0)
    held.pop()?.()
    await clock.advance(0)
    release()
    await clock.advance(1_999)
    expect([attempts, held.length]).toEqual([[1], 0])
    await clock.advance(1)
    release()
    await clock.advance(0)
    expect([attempts, script.requests.length]).toEqual([[1, 1], 2])
    expect(outcome.value).toMatchObject({ meta: { attempts: 1, credits: { charged: PRICE } } })
  })
})

describe('a hook that waits', () => {
  const sixty = { budget: { credits: 1_000 }, timeoutMs: 60_000, retry: false as const }

  test.each([0, 1, 4, 8, 15, 30])(
    'and an abort %i microtasks after it is let go: nothing is sent, because a turn of the event loop passes first',
    async (count) => {
      const { hooks, release } = holding()
      const { client, clock, events, script } = setup(undefined, { ...sixty, hooks })
      const caller = new AbortController()
      const outcome = watch(client.token.price({ address: address(1) }, { signal: caller.signal }))
      await clock.advance(0)
      release()
      for (let step = 0; step < count; step++) await Promise.resolve()
      caller.abort('enough')
      await clock.advance(0)
      expect(outcome.error).toBe('enough')
      expect(script.requests).toHaveLength(0)
      expect(events.map(({ type }) => type)).toEqual(['call.started', 'call.failed'])
      expect(events.at(-1)).toMatchObject({ attempts: 0, charge: 'none', credits: 0 })
      expect(client.budget).toMatchObject({ reserved: 0, uncertain: 0 })
      expect(clock.pending).toBe(0)
    },
  )
})
