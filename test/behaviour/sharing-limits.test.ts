import { BudgetExceededError, createBudget, isEtnMarketError } from 'etn-market'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ClientInternals, internalsOf } from '../../src/client/client-internals.ts'
import { busy, costs, limited, networkError, ok, price, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const TOKEN = address(7)
const PRICE = 50
const answer = () => ok(price(TOKEN), costs(PRICE))

/** A call as feeds, sweeps and proxies make it. */
function askWith(client: object, more: Parameters<ClientInternals['call']>[3], signal?: AbortSignal) {
  const { call } = internalsOf(client) as ClientInternals
  return watch(call('token.price', { address: TOKEN }, signal ? { signal } : {}, more))
}

describe('a request in flight that another caller has started with a limit', () => {
  test('is shared with a caller without one, who is charged nothing', async () => {
    const { client, script } = setup()
    const limit = createBudget({ credits: PRICE })
    const starter = askWith(client, { budget: limit })
    const other = watch(client.token.price({ address: TOKEN }).withMeta())
    await flush()
    expect(script.requests).toHaveLength(1)
    script.requests[0]?.answer(answer())
    await flush()
    expect(starter.state).toBe('resolved')
    expect(other.value?.meta).toMatchObject({ shared: true, credits: { charged: 0 } })
    expect(limit.spent).toBe(PRICE)
  })

  test('refuses nobody but that caller, when its limit has no room for a retry', async () => {
    const { client, clock, script } = setup()
    const limit = createBudget({ credits: PRICE })
    const starter = askWith(client, { budget: limit })
    const other = watch(client.token.price({ address: TOKEN }).withMeta())
    await flush()
    script.requests[0]?.fail(networkError('ECONNRESET'))
    await clock.advance(1_000)
    expect(starter.error).toMatchObject({ name: 'BudgetExceededError', attempts: 1, charge: 'unknown', needed: PRICE })
    expect(script.requests).toHaveLength(2)
    script.requests[1]?.answer(answer())
    await flush()
    expect(other.value?.meta).toMatchObject({ shared: false, attempts: 1, credits: { charged: PRICE } })
    expect(limit).toMatchObject({ spent: 0, reserved: 0, uncertain: PRICE })
    expect(clock.pending).toBe(0)
  })

  test('refuses nobody but that caller, when its limit has no room from the start', async () => {
    const { client, script } = setup(answer)
    const none = askWith(client, { budget: createBudget({ credits: PRICE - 1 }) })
    const other = watch(client.token.price({ address: TOKEN }))
    await flush()
    expect(none.error).toBeInstanceOf(BudgetExceededError)
    expect(other.state).toBe('resolved')
    expect(script.requests).toHaveLength(1)
  })

  test('is not paid from that limit when the caller leaves before it is sent', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? limited(wait(5)) : answer()))
    watch(client.etn.price())
    await flush()
    const limit = createBudget({ credits: 1_000 })
    const caller = new AbortController()
    askWith(client, { budget: limit }, caller.signal)
    const other = watch(client.token.price({ address: TOKEN }).withMeta())
    await clock.advance(1_000)
    caller.abort('gone')
    await clock.advance(60_000)
    expect(other.value?.meta.credits.charged).toBe(PRICE)
    expect(limit).toMatchObject({ spent: 0, reserved: 0, uncertain: 0 })
    expect(script.requests).toHaveLength(3)
  })

  test('is sent anew within the limit of whoever is left, when those without a limit leave', async () => {
    const { client, clock } = setup(({ number }) => (number === 1 ? limited(wait(5)) : answer()))
    watch(client.etn.price())
    await flush()
    const caller = new AbortController()
    watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    const limit = createBudget({ credits: 1_000 })
    const joiner = askWith(client, { budget: limit })
    await clock.advance(1_000)
    caller.abort('gone')
    await clock.advance(60_000)
    expect(joiner.state).toBe('resolved')
    expect(limit.spent).toBe(PRICE)
  })
})

describe('a caller for whom nothing further may be sent', () => {
  test('gets the answer that is on its way', async () => {
    const { client, script } = setup()
    const stop = new AbortController()
    const outcome = askWith(client, { stop: stop.signal })
    await flush()
    stop.abort('over')
    await flush()
    expect(outcome.state).toBe('pending')
    script.requests[0]?.answer(answer())
    await flush()
    expect(outcome.state).toBe('resolved')
  })

  test('leaves when the attempt fails, and others go on', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? limited(wait(1)) : answer()))
    const stop = new AbortController()
    const outcome = askWith(client, { stop: stop.signal })
    stop.abort('over')
    const other = watch(client.token.price({ address: TOKEN }))
    await clock.advance(0)
    expect(outcome).toEqual({ state: 'rejected', error: 'over' })
    await clock.advance(10_000)
    expect(other.state).toBe('resolved')
    expect(script.requests).toHaveLength(2)
  })

  test('leaves at once where nothing was sent, and nothing is booked', async () => {
    const { client, clock, script } = setup(() => limited(wait(30)), { retry: false, budget: { credits: 1_000 } })
    watch(client.etn.price())
    await flush()
    const stop = new AbortController()
    const limit = createBudget({ credits: 1_000 })
    const outcome = askWith(client, { stop: stop.signal, budget: limit })
    await clock.advance(1_000)
    stop.abort('over')
    await clock.advance(60_000)
    expect(outcome).toEqual({ state: 'rejected', error: 'over' })
    expect(script.requests).toHaveLength(1)
    for (const budget of [limit, client.budget]) expect(budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 0 })
    expect(clock.pending).toBe(0)
  })
})

test('the requests of a batch that does not fit are not sent, also while the store of the budget is still read, and end no call that shares one', async () => {
  const texts = new Map<string, string>()
  const store = {
    get: async (key: string) => texts.get(key),
    set: async (key: string, text: string) => void texts.set(key, text),
  }
  const { client, script } = setup(() => ok({}, costs(600)), { budget: { credits: 900, store } })
  const asked = addresses(100)
  const batch = watch(client.prices.batch({ addresses: asked }))
  const other = watch(client.prices.batch({ addresses: asked.slice(50) }))
  await expect.poll(() => [batch.state, other.state]).toEqual(['rejected', 'resolved'])
  expect(batch.error).toMatchObject({ name: 'BudgetExceededError', needed: 1_200, attempts: 0, charge: 'none' })
  expect(script.requests).toHaveLength(1)
  expect(client.budget).toMatchObject({ spent: 600, reserved: 0 })
})

const sharers = fc.array(
  fc.record({
    /** Credits of a limit of its own, or one that two of them have; undefined for none. */
    limit: fc.constantFrom(undefined, 0, 2_000, 4_000, 20_000, 'common'),
    after: fc.nat({ max: 3_000 }),
    abortAfter: fc.option(fc.nat({ max: 8_000 }), { nil: undefined }),
    stopAfter: fc.option(fc.nat({ max: 8_000 }), { nil: undefined }),
    whenAborted: fc.constantFrom('cancel', 'finish'),
  }),
  { minLength: 1, maxLength: 6 },
)
const failures = fc.array(fc.constantFrom('reset', 'busy', '429', 'none'), { maxLength: 6 })

testProperty(
  'whoever shares a request has the answer, or the outcome that the caller would have had alone',
  fc.asyncProperty(sharers, failures, async (callers, faults) => {
    const cost = 2_000
    const { client, clock, script } = setup(undefined, { retry: { limit: 8 }, deadlineMs: 10 * 60_000 })
    const { call } = internalsOf(client) as ClientInternals
    const common = createBudget({ credits: 6_000 })
    /** Each attempt takes a second. */
    const respond = async () => {
      for (const [index, exchange] of script.requests.entries()) {
        if (!script.open.includes(exchange)) continue
        const fault = faults[index] ?? 'none'
        if (fault === 'reset') exchange.fail(networkError('ECONNRESET'))
        else if (fault === 'busy') exchange.answer(busy(wait(2)))
        else if (fault === '429') exchange.answer(limited(wait(1)))
        else exchange.answer(ok([], costs(cost)))
      }
      await flush()
    }
    const outcomes = callers.map(({ limit, after, abortAfter, stopAfter, whenAborted }) => {
      const abort = new AbortController()
      const stop = new AbortController()
      const budget =
        limit === undefined ? undefined : limit === 'common' ? common : createBudget({ credits: Number(limit) })
      const begin = async () => {
        await clock.sleep(after)
        if (abortAfter !== undefined) clock.sleep(abortAfter).then(() => abort.abort('aborted'))
        if (stopAfter !== undefined) clock.sleep(stopAfter).then(() => stop.abort('stopped'))
        const options = { signal: abort.signal, whenAborted: whenAborted as 'cancel' | 'finish' }
        return call('locks.get', { address: TOKEN }, options, { budget, stop: stop.signal }).withMeta()
      }
      return { outcome: watch(begin()), limit, budget, abortAfter, stopAfter }
    })
    for (let second = 0; second < 300; second++) {
      await clock.advance(1_000)
      await respond()
    }
    let charged = 0
    for (const { outcome, limit, budget, abortAfter, stopAfter } of outcomes) {
      expect(outcome.state).not.toBe('pending')
      if (outcome.state === 'resolved') charged += outcome.value?.meta.credits.charged ?? 0
      else if (isEtnMarketError(outcome.error)) {
        // With eight retries, nothing but a limit of its own may end a caller who waits.
        expect(outcome.error).toBeInstanceOf(BudgetExceededError)
        expect(limit).toBeDefined()
        expect(limit).not.toBe(20_000)
      } else if (outcome.error === 'aborted') expect(abortAfter).toBeDefined()
      else {
        expect(outcome.error).toBe('stopped')
        expect(stopAfter).toBeDefined()
      }
      if (budget === undefined) continue
      expect(budget.reserved).toBe(0)
      expect(budget.spent + budget.uncertain).toBeLessThanOrEqual(budget.limit)
    }
    expect(charged).toBeLessThanOrEqual(client.credits.charged)
    expect(client.budget.reserved).toBe(0)
    expect(script.open).toHaveLength(0)
    expect(clock.pending).toBe(0)
  }),
  { cases: 20 },
)
