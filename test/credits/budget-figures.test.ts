import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'

const LARGEST = Number.MAX_SAFE_INTEGER
const DAY = 86_400_000
const now = () => Date.UTC(2026, 10, 20)

describe('figures that would leave the safe integers', () => {
  test.each([`${LARGEST}`, `${2 ** 52}`, '1000000000001'])(
    'X-Credits-Cost: %s is unreadable: the charge is computed, and a restart finds it',
    async (cost) => {
      const fake = createFakeService({ keys: { esk_live_key: { credits: 1_000_000 } } })
      const store = new Map<string, string>()
      const budget = createBudget({ credits: 10_000, windowMs: DAY, store })
      const events: string[] = []
      const client = createClient({
        apiKey: 'esk_live_key',
        budget,
        onEvent: ({ type }) => events.push(type),
        fetch: async (request) => {
          const answer = await fake.fetch(request)
          const headers = new Headers(answer.headers)
          headers.set('x-credits-cost', cost)
          return new Response(answer.body, { status: answer.status, headers })
        },
      })
      for (let call = 0; call < 3; call++) await client.etn.price()
      await client.close()
      expect(events).toContain('credits.computed')
      expect(client.credits.charged).toBe(75)
      const restarted = createBudget({ credits: 10_000, windowMs: DAY, store })
      await restarted.load()
      expect(restarted.spent).toBe(75)
    },
  )

  test('a charge that makes the sum unsafe uses the budget up, until its window ends', async () => {
    const store = new Map<string, string>()
    let elapsed = 0
    const create = () => createBudget({ credits: 1_000, windowMs: DAY, store }, { now: () => now() + elapsed })
    const budget = create()
    for (const charge of [50, LARGEST, LARGEST]) (await budget.reserve(0)).settle(charge)
    expect(budget.spent).toBe(LARGEST)
    await budget.flush()
    const restarted = create()
    await restarted.load()
    expect(restarted).toMatchObject({ spent: LARGEST, available: 0 })
    elapsed += DAY
    const nextDay = create()
    await nextDay.load()
    expect(nextDay.available).toBe(1_000)
  })

  test('an entry that holds one is read, and counts as used up', async () => {
    const index = Math.floor(now() / DAY)
    const counts = { spent: 9_007_199_254_741_042, reserved: 0, uncertain: 0 }
    const window = { start: index * DAY, end: (index + 1) * DAY, countsUntil: null, ...counts }
    const entry = JSON.stringify({ v: 3, windowMs: DAY, windows: [window] })
    const budget = createBudget(
      { credits: 1_000, windowMs: DAY, store: new Map([['etn-market:budget', entry]]) },
      { now },
    )
    await budget.load()
    expect(budget).toMatchObject({ spent: LARGEST, available: 0 })
  })
})

describe('the totals of a stored budget', () => {
  test('throw until they are known, and say how to know them', async () => {
    const budget = createBudget({ credits: 1_000, store: new Map() })
    for (const name of ['spent', 'reserved', 'uncertain', 'available'] as const) {
      expect(() => budget[name]).toThrow(expect.objectContaining({ code: 'budget_not_loaded' }))
    }
    expect(budget.limit).toBe(1_000)
    await budget.load()
    expect(budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 0, available: 1_000 })
  })

  test('are known after the first reservation too, and printing them throws never', async () => {
    const { inspect } = await import('node:util')
    const budget = createBudget({ credits: 1_000, store: new Map() })
    expect(inspect(budget)).toContain('limit: 1000')
    expect(JSON.parse(JSON.stringify({ budget }))).toEqual({ budget: { limit: 1_000 } })
    await budget.reserve(10)
    expect(budget.reserved).toBe(10)
    expect(inspect(budget)).toContain('reserved: 10')
    expect(JSON.parse(JSON.stringify(budget))).toMatchObject({ limit: 1_000, reserved: 10 })
  })
})
