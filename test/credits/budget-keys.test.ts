import { type BeforeRequestHook, createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { createBudget, type Reservation, type StoredBudget } from '../../src/credits/budget.ts'
import { reserveInBoth } from '../../src/credits/joint-budget.ts'
import { flush } from '../support/clock.ts'
import { inAnotherProcess } from '../support/store.ts'
import { budgetAt, START, steadyClock, totals } from './budget-at.ts'

const DAY = 86_400_000
const MINUTE = 60_000
const KEYS = ['esk_live_first_key', 'esk_live_second_key'] as const
const FAKE_KEYS = Object.fromEntries(KEYS.map((key) => [key, { credits: 1_000_000 }]))

/** One request that is answered, with nothing else in flight on its key. */
function ask(budget: ReturnType<typeof exclusive>, key: string, remaining: number) {
  const reservation = budget.reserve(0)
  reservation.confirm({}, key)
  return reservation.settle(0, { remaining })
}

function lose(budget: ReturnType<typeof exclusive>, key: string, credits: number): void {
  const reservation = budget.reserve(credits)
  reservation.confirm({}, key)
  reservation.markUncertain()
}

const exclusiveAt = () => budgetAt({ credits: 5_000, exclusiveKey: true })
const exclusive = () => exclusiveAt().budget

describe('a balance proves what its own key lost, and nothing of another one', () => {
  test('a request in flight with one key does not hold up the proof of another', () => {
    const { budget, pass } = exclusiveAt()
    ask(budget, 'one', 1_000_000)
    lose(budget, 'one', 600)
    pass(MINUTE)
    budget.reserve(100).confirm({}, 'other')
    expect(ask(budget, 'one', 999_900)).toEqual({ charged: 100, freed: 500 })
  })

  test.each(['own', 'common'])(
    'joined with a budget that proves nothing, the %s one says what was proven',
    (proving) => {
      const { budget, pass } = exclusiveAt()
      const other = budgetAt({ credits: 5_000 }).budget
      const send = (credits: number) => {
        const [own, common] = proving === 'own' ? [budget, other] : [other, budget]
        const reservation = reserveInBoth(own, common, credits) as Reservation
        reservation.confirm({}, 'one')
        return reservation
      }
      send(0).settle(0, { remaining: 1_000_000 })
      send(600).markUncertain()
      pass(MINUTE)
      expect(send(0).settle(0, { remaining: 999_900 })).toEqual({ charged: 100, freed: 500 })
    },
  )

  test('more keys than are remembered: of a forgotten one nothing is proven', () => {
    const { budget, pass } = exclusiveAt()
    ask(budget, 'first', 1_000_000)
    lose(budget, 'first', 600)
    pass(MINUTE)
    for (let key = 0; key < 200; key++) ask(budget, `key ${key}`, 1_000)
    expect(ask(budget, 'first', 1_000_000)).toBeUndefined()
    expect(budget.uncertain).toBe(600)
  })
})

test.each([1, 2])(
  '%i clients whose keys differ stay within a budget that both share, whatever is lost',
  async (clients) => {
    const fake = createFakeService({ keys: FAKE_KEYS })
    const budget = createBudget({ credits: 1_500, exclusiveKey: true })
    let calls = 0
    const options = { fetch: fake.fetch, budget, retry: false } as const
    const made =
      clients === 1
        ? [createClient({ ...options, apiKey: () => KEYS[calls % 2] ?? '' })]
        : KEYS.map((apiKey) => createClient({ ...options, apiKey }))
    // The answers on the second key are lost after they were charged.
    fake.fault({ key: KEYS[1], reset: 'after' })
    for (; calls < 90; calls++) {
      const client = made[calls % made.length]
      await client?.etn.price().catch(() => {})
    }
    const charged = fake.ledger().reduce((sum, { credits }) => sum + credits, 0)
    expect(charged).toBeLessThanOrEqual(1_500)
    expect(budget.spent + budget.uncertain).toBeGreaterThanOrEqual(charged)
    for (const client of made) await client.close()
  },
)

test.each([
  ['names its key', KEYS[0]],
  ['names none', undefined],
])('other spending with the key of a client is counted once, where its reservation %s', async (_, key) => {
  const fake = createFakeService({ keys: FAKE_KEYS })
  const budget = exclusive()
  const client = createClient({ apiKey: KEYS[0], budget, fetch: fake.fetch })
  const script = () => fake.fetch(`${fake.baseUrl}/prices/etn`, { headers: { authorization: `Bearer ${KEYS[0]}` } })
  await client.account.me()
  for (let round = 0; round < 5; round++) {
    const reservation = budget.reserve(600)
    reservation.confirm({}, key)
    const { headers } = await script()
    // A look while it is in flight sees its charge already.
    await client.account.me()
    reservation.settle(Number(headers.get('x-credits-cost')))
    await client.account.me()
    await client.etn.price()
  }
  expect(fake.charged()).toBe(250)
  expect(totals(budget)).toEqual({ spent: 250, reserved: 0, uncertain: 0, available: 4_750 })
  await client.close()
})

test("a hook cannot set another key, whose lost answer the balance of the client's own would seem to free", async () => {
  const fake = createFakeService({ keys: FAKE_KEYS })
  const { budget, pass } = exclusiveAt()
  let isOther = false
  const beforeRequest = [
    ({ request }: { request: Request }) => isOther && request.headers.set('authorization', `Bearer ${KEYS[1]}`),
  ] as BeforeRequestHook[]
  const client = createClient({ apiKey: KEYS[0], budget, fetch: fake.fetch, retry: false, hooks: { beforeRequest } })
  await client.account.me()
  fake.fault({ operation: 'farm.list', reset: 'after' })
  isOther = true
  await client.farm.list().catch(() => {})
  isOther = false
  pass(MINUTE)
  await client.account.me()
  expect(budget.spent + budget.uncertain).toBeGreaterThanOrEqual(fake.charged())
  await client.close()
})

describe('with a store', () => {
  const store = new Map<string, string>()
  let now = START
  const start = async () => {
    const budget = createBudget(
      { credits: 5_000, windowMs: DAY, exclusiveKey: true, store: inAnotherProcess(store) },
      steadyClock(() => now),
    )
    await budget.load()
    return budget
  }
  const send = async (budget: StoredBudget, key: string, credits: number): Promise<Reservation> => {
    const reservation = await budget.reserve(credits)
    await reservation.confirm({}, key)
    return reservation
  }

  test.each([
    ['one key was used: a crash is proven by it', ['one', 'one'], { charged: 100, freed: 500 }],
    ['several were used: nobody knows which one was charged', ['other', 'one'], { charged: 100, freed: 0 }],
    ['another was used for what is free: it was not charged', ['one', 'one', 'other'], { charged: 100, freed: 500 }],
  ])('%s', async (_, [first = '', second = '', free = first], proof) => {
    store.clear()
    const before = await start()
    for (const key of ['one', 'other']) (await send(before, key, 0)).settle(0, { remaining: 1_000_000 })
    await before.flush()
    const crashed = await start()
    ;(await send(crashed, free, 0)).settle(0, { remaining: 1_000_000 })
    ;(await send(crashed, first, 50)).settle(0, { remaining: 1_000_000 })
    await send(crashed, second, 600)
    await flush()
    const after = await start()
    expect(after.uncertain).toBe(600)
    now += MINUTE
    const asked = await send(after, 'one', 0)
    expect(asked.settle(0, { remaining: 999_900 })).toEqual(proof)
  })

  test('a key is written before the first request with it is sent, and nothing of it but a hash', async () => {
    store.clear()
    const fake = createFakeService({ keys: FAKE_KEYS })
    const budget = createBudget({ credits: 5_000, exclusiveKey: true, store: inAnotherProcess(store) })
    let entryAtSending = ''
    const client = createClient({
      apiKey: KEYS[0],
      budget,
      fetch: (url, init) => {
        entryAtSending = [...store.values()].join()
        return fake.fetch(url, init)
      },
    })
    await client.etn.price()
    await client.close()
    const [, name] = /"inUse":\["(\w+)"\]/.exec(entryAtSending) ?? []
    expect(name).toMatch(/^[0-9a-f]{32}$/)
    expect([...store.values()].join()).not.toContain('esk_')
  })
})
