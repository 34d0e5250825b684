import { type BudgetExceededError, createBudget, BudgetExceededError as Exceeded } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, cutOff, networkError, ok, price, refusal, tokens } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import { address, addresses, rejection, setup, watch } from '../support/setup.ts'
import { omitStacks } from '../support/short-stacks.ts'

omitStacks()

const WINDOW = 60_000
const HOUR = 3_600_000
const good = () => ok(price(address(1)), costs(50))

test('a thousand calls at once, with a budget for a hundred, send exactly 100 requests and spend exactly 5,000 credits', async () => {
  const { client, clock, script } = setup(undefined, { budget: { credits: 5_000 } })
  const outcomes = addresses(1_000).map((token) => watch(client.token.price({ address: token })))
  await clock.advance(0)
  expect(script.requests).toHaveLength(100)
  expect(client.budget).toMatchObject({ spent: 0, reserved: 5_000, available: 0 })
  for (const exchange of script.open) exchange.answer(good())
  await clock.advance(0)
  expect(script.requests).toHaveLength(100)
  expect(client.budget).toMatchObject({ spent: 5_000, reserved: 0, uncertain: 0, available: 0 })
  expect(outcomes.filter(({ state }) => state === 'resolved')).toHaveLength(100)
  const rejected = outcomes.filter(({ state }) => state === 'rejected').map(({ error }) => error as BudgetExceededError)
  expect(rejected).toHaveLength(900)
  const seen = new Set(rejected.map(({ name, attempts, charge, credits }) => [name, attempts, charge, credits].join()))
  expect([...seen]).toEqual(['BudgetExceededError,0,none,0'])
})

describe('a call that does not fit the budget', () => {
  test('rejects with the needed credits, the available credits and the time of the reset, and sends nothing', async () => {
    const clock = createVirtualClock()
    const { client, script } = setup(undefined, { clock, budget: { credits: 2_799, windowMs: 1_000 } })
    const error = await rejection(client.balances.get({ address: address(1) }), Exceeded)
    expect(error).toMatchObject({
      needed: 2_800,
      available: 2_799,
      resetsAt: clock.now() + 1_000,
      operation: 'balances.get',
    })
    expect(error.message).toContain('2799')
    expect(script.requests).toHaveLength(0)
  })

  test('does not delay one that fits, such as with a smaller limit parameter, whose worst case is smaller', async () => {
    const { client } = setup(() => ok(tokens(2), costs(110)), { budget: { credits: 110 } })
    await rejection(client.token.list({ limit: 3 }), Exceeded)
    expect(await client.token.list({ limit: 2 })).toHaveLength(2)
  })

  test.each([1, 3, 49, 50, 51, 120, 500])(
    'sends none of the requests of a batch of %i when one credit is missing',
    async (count) => {
      const asked = addresses(count)
      const needed = 100 * Math.ceil(count / 50) + 10 * count
      const { client, clock, script } = setup(() => ok({}), { budget: { credits: needed - 1 } })
      const error = await rejection(client.prices.batch({ addresses: asked }), Exceeded)
      expect(error).toMatchObject({ needed, available: needed - 1, charge: 'none' })
      await clock.advance(1_000)
      expect(script.requests).toHaveLength(0)
      expect(client.budget.reserved).toBe(0)
    },
  )

  test('keeps the credits of a batch that just fits reserved while its chunks wait', async () => {
    const { client, clock, script } = setup(undefined, { budget: { credits: 1_200 }, batchConcurrency: 1 })
    watch(client.prices.batch({ addresses: addresses(100) }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(1)
    expect(client.budget).toMatchObject({ reserved: 1_200, available: 0 })
    await rejection(client.etn.price(), Exceeded)
  })
})

describe('a retried attempt', () => {
  test('needs a reservation of its own after a lost answer', async () => {
    const { client, clock, script } = setup(() => networkError('ECONNRESET'), { budget: { credits: 149 } })
    const outcome = watch(client.token.price({ address: address(1) }))
    await clock.advance(20_000)
    expect(script.requests).toHaveLength(2)
    expect(outcome.error).toMatchObject({
      name: 'BudgetExceededError',
      attempts: 2,
      charge: 'unknown',
      credits: 0,
      needed: 50,
      available: 49,
      message: expect.stringContaining('No further request was sent.'),
    })
    expect((outcome.error as Error).cause).toMatchObject({ name: 'ConnectionError' })
    expect(client.budget).toMatchObject({ uncertain: 100, reserved: 0 })
  })

  test('fails with the charged credits after a cut-off answer with a credits header', async () => {
    const { client, clock } = setup(() => cutOff(costs(50)), { budget: { credits: 50 } })
    const outcome = watch(client.token.price({ address: address(1) }))
    await clock.advance(20_000)
    expect(outcome.error).toMatchObject({ name: 'BudgetExceededError', charge: 'charged', credits: 50 })
    expect(client.budget).toMatchObject({ spent: 50, uncertain: 0 })
  })

  test('does not block its credits while it waits', async () => {
    const { client, clock } = setup(
      ({ number }) => (number === 1 ? refusal(500, 'x', { 'retry-after': '5' }) : good()),
      {
        budget: { credits: 50 },
      },
    )
    const first = watch(client.token.price({ address: address(1) }))
    await clock.advance(1_000)
    await client.token.price({ address: address(2) })
    await clock.advance(10_000)
    expect(first.error).toMatchObject({ name: 'BudgetExceededError', attempts: 1, charge: 'none' })
  })
})

test('a retried attempt is not sent before the store has written its reservation', async () => {
  let isHeld = false
  const held: (() => void)[] = []
  const map = new Map<string, string>()
  const store = {
    get: (key: string) => map.get(key),
    set: (key: string, value: string) =>
      isHeld ? new Promise<void>((resolve) => held.push(resolve)) : map.set(key, value),
  }
  const { client, clock, script } = setup(
    ({ number }) => {
      isHeld = number === 1
      return number === 1 ? refusal(500, 'x') : good()
    },
    { budget: { credits: 100, store } },
  )
  const outcome = watch(client.token.price({ address: address(1) }))
  await clock.advance(10_000)
  expect(script.requests).toHaveLength(1)
  isHeld = false
  for (const write of held) write()
  await clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(script.requests).toHaveLength(2)
})

test('a budget shared by several clients limits their calls together', async () => {
  const budget = createBudget({ credits: 500 })
  const made = [setup(undefined, { budget }), setup(undefined, { budget })]
  const outcomes = addresses(20).map((token, index) => watch(made[index % 2]!.client.token.price({ address: token })))
  for (const { clock } of made) await clock.advance(0)
  expect(made[0]!.script.requests.length + made[1]!.script.requests.length).toBe(10)
  expect(outcomes.filter(({ state }) => state === 'rejected')).toHaveLength(10)
  expect(made[0]!.client.budget).toBe(budget)
})

test('an answer lost in the old window blocks nothing in the new window, where its retry is charged', async () => {
  const { client, clock, script } = setup(({ number }) => (number === 2 ? good() : undefined), {
    budget: { credits: 100, windowMs: WINDOW },
    timeoutMs: WINDOW,
    deadlineMs: 2 * WINDOW,
  })
  await clock.advance(1_000)
  const outcome = watch(client.token.price({ address: address(1) }))
  await clock.advance(WINDOW + 1_000)
  expect(outcome.state).toBe('resolved')
  expect(script.requests).toHaveLength(2)
  expect(client.budget).toMatchObject({ spent: 50, uncertain: 0, reserved: 0 })
})

test('what no longer fits in the window of its turn fails, and the slot goes to the next', async () => {
  const { client, clock, script } = setup(undefined, {
    budget: { credits: 6_000, windowMs: HOUR },
    heavyConcurrency: 1,
    timeoutMs: 2 * HOUR,
    deadlineMs: 3 * HOUR,
  })
  const outcomes = addresses(3).map((token) => watch(client.locks.get({ address: token })))
  await clock.advance(HOUR)
  // The new window is used up by light calls before the first heavy one is answered.
  const light = addresses(2).map((token) => watch(client.balances.get({ address: token })))
  await clock.advance(0)
  expect(client.budget.reserved).toBe(5_600)
  script.open[0]?.answer(ok([], costs(2_000)))
  await clock.advance(0)
  expect(outcomes.map(({ state }) => state)).toEqual(['resolved', 'rejected', 'rejected'])
  for (const { error } of outcomes.slice(1)) {
    expect(error).toMatchObject({ code: 'budget_exceeded', attempts: 0, charge: 'none', credits: 0 })
    expect((error as Error).message).toMatch(/^locks\.get: the budget .* Nothing was sent\./)
  }
  expect(light.map(({ state }) => state)).toEqual(['pending', 'pending'])
  expect(script.requests).toHaveLength(3)
})
