import { type BudgetOptions, type Client, type ClientOptions, createClient, InvalidRequestError } from 'etn-market'
import { createFakeService, type FaultOptions } from 'etn-market/fake'
import { createPriceFeed, type FeedOptions } from 'etn-market/feed'
import { createProxy } from 'etn-market/proxy'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type BudgetStore, createBudget, openBudget } from '../../src/credits/budget.ts'
import { SWEEP_KEY } from '../../src/sweep/sweep-budget.ts'
import { createVirtualClock } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
import { onCaseFinished, testProperty } from '../support/property.ts'
import { watch } from '../support/setup.ts'
import { inAnotherProcess } from '../support/store.ts'
import { listed } from '../sweep/sweeps.ts'
import { steadyClock, totals } from './budget-at.ts'

const DAY = 86_400_000
const SECOND = 1_000
const PRICE = 50
const LIMIT = 1_000
const CLIENT_KEY = 'etn-market:budget:default'
const FEED_KEY = 'etn-market:feed:budget:1:default'

/** Listed tokens: what is sold one by one. */
const tokens = (count: number, from = 0) => Array.from({ length: count }, (_, index) => token(from + index))
const token = (index: number) => listed[index % listed.length] as { address: string }

/** One service and one store, in virtual time. */
function setup() {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock })
  const store = new Map<string, string>()
  const open = (options: ClientOptions = {}): Client => {
    const client = createClient({ apiKey: fake.key, clock, transport: createDirectTransport(fake.fetch), ...options })
    onCaseFinished(() => client.close())
    return client
  }
  const openFeed = (options: FeedOptions) => {
    const feed = createPriceFeed(open(), { clock, store, ...options })
    onCaseFinished(() => feed.close())
    return feed
  }
  /** What a process finds that starts now. */
  const inStore = async (key: string, windowMs: number | undefined = DAY) => {
    const options = { credits: Number.POSITIVE_INFINITY, windowMs, store: inAnotherProcess(store) }
    const { budget } = openBudget(options, clock, { key })
    await budget.load?.()
    return totals(budget)
  }
  onCaseFinished(() => fake.close())
  return { clock, fake, store, open, openFeed, inStore }
}

/** Buys prices one after the other until something fails. */
async function buyAll(client: Client, count: number, from = 0): Promise<unknown> {
  for (const one of tokens(count, from)) {
    const error = await client.token.price(one).catch((reason) => reason)
    if (error?.code === 'budget_exceeded') return error
  }
  return undefined
}

describe('a store and a name are one budget', () => {
  test('four clients on one store spend one limit, and the store remembers all of it', async () => {
    const { clock, fake, store, open, inStore } = setup()
    const options = () => ({ budget: { credits: LIMIT, windowMs: DAY, store } })
    const clients = [open(options()), open(options()), open(options()), open(options())]
    const errors = clients.map((client, index) => watch(buyAll(client, 25, 25 * index)))
    await clock.advance(60 * SECOND)
    fake.expectCredits(LIMIT)
    for (const { value } of errors) expect(value).toMatchObject({ code: 'budget_exceeded', available: 0 })
    for (const client of clients) expect(client.budget).toMatchObject({ spent: LIMIT, available: 0 })
    await Promise.all(clients.map((client) => client.close()))
    expect(await inStore(CLIENT_KEY)).toMatchObject({ spent: LIMIT, uncertain: 0 })
  })

  test('two feeds with one name spend the credits of one day', async () => {
    const { clock, fake, openFeed, inStore } = setup()
    const feeds = [0, 1, 2].map(() => openFeed({ budget: { creditsPerDay: LIMIT } }))
    for (let round = 0; round < 8; round++) {
      const asked = feeds.map((feed, index) =>
        feed.price(token(10 * round + index).address, { maxAgeMs: 0 }).catch(() => {}),
      )
      await clock.advance(SECOND)
      await Promise.all(asked)
    }
    fake.expectCredits(LIMIT)
    for (const feed of feeds) expect(feed.status().spent).toBe(LIMIT)
    await Promise.all(feeds.map((feed) => feed.close()))
    expect(await inStore(FEED_KEY)).toMatchObject({ spent: LIMIT, uncertain: 0 })
  })

  test('whatever has opened it: a client, createBudget, or a copy of the package', async () => {
    const { clock, store, open } = setup()
    const options = { credits: LIMIT, windowMs: DAY, store }
    const budget = createBudget(options, clock)
    const client = open({ budget: options })
    vi.resetModules()
    const copy = await import('../../src/credits/budget.ts')
    expect(copy.createBudget).not.toBe(createBudget)
    const other = copy.createBudget(options, clock)
    await Promise.all([client.token.price(token(1)), clock.advance(SECOND)])
    const reservation = await other.reserve(600)
    expect(totals(budget)).toEqual({ spent: PRICE, reserved: 600, uncertain: 0, available: LIMIT - PRICE - 600 })
    reservation.settle(600)
    await expect(budget.reserve(400)).rejects.toMatchObject({ code: 'budget_exceeded', available: 350 })
  })

  test('a call that a proxy and its client limit by one entry counts once', async () => {
    const { clock, fake, store, open, inStore } = setup()
    const budget = { credits: LIMIT, windowMs: DAY, store }
    const client = open({ budget })
    const allow = ['token.price', 'token.list'] as const
    const perVisitor = { credits: LIMIT, windowMs: DAY }
    for (const limits of [{}, { perVisitor }]) {
      const proxy = createProxy({ client, clock, allow, budget, visitor: () => 'one', ...limits })
      const ask = proxy(new Request(`https://dapp.example/prices/52014/${token(limits.perVisitor ? 1 : 2).address}`))
      const [response] = await Promise.all([ask, clock.advance(SECOND)])
      expect(response.status).toBeLessThan(500)
      expect(proxy.status().budget).toMatchObject({ spent: fake.charged() })
      await proxy.close()
    }
    expect(fake.charged()).toBe(2 * PRICE)
    expect(await inStore(CLIENT_KEY)).toMatchObject({ spent: 2 * PRICE, uncertain: 0 })
  })

  test('only the entry of a feed, whose day ends, need not be kept for ever', async () => {
    const { clock, open, openFeed } = setup()
    const kept: [string, number | undefined][] = []
    const map = new Map<string, string>()
    const store = {
      get: (key: string) => map.get(key),
      set(key: string, value: string, ttl?: number) {
        kept.push([key, ttl])
        map.set(key, value)
      },
      delete: () => false,
    }
    const feed = openFeed({ store, budget: { creditsPerDay: LIMIT } })
    const client = open({ budget: { credits: LIMIT, windowMs: DAY, store } })
    const bought = [feed.price(token(1).address), client.token.price(token(2))]
    await Promise.all([...bought, clock.advance(SECOND)])
    const ttls = new Map(kept)
    expect([ttls.get(FEED_KEY), ttls.get(CLIENT_KEY)]).toEqual([2 * DAY, undefined])
    expect(ttls.has(CLIENT_KEY)).toBe(true)
  })

  test('no name that users choose is that of a feed or of sweeps', async () => {
    const { clock, fake, store, open, openFeed } = setup()
    const named = ['sweeps', 'feed:default', SWEEP_KEY].map((name) =>
      createBudget({ creditsPerDay: 5, store, name }, clock),
    )
    const feed = openFeed({ budget: { creditsPerDay: LIMIT } })
    const sweep = (async () => {
      for await (const _ of open().token.price.many(tokens(2), { store, maxCredits: LIMIT }));
    })()
    await Promise.all([feed.price(token(1).address, { maxAgeMs: 0 }), sweep, clock.advance(SECOND)])
    fake.expectCredits(3 * PRICE)
    for (const budget of named) {
      await budget.load()
      expect(budget.spent).toBe(0)
    }
  })

  test('another name, another name of a feed or another store is another budget', async () => {
    const { clock, fake, store, open, openFeed } = setup()
    const budget = { credits: PRICE, windowMs: DAY, store }
    for (const other of [{}, { name: 'another' }, { store: new Map() }]) {
      const client = open({ budget: { ...budget, ...other } })
      await Promise.all([buyAll(client, 3), clock.advance(SECOND)])
    }
    fake.expectCredits(3 * PRICE)
    for (const name of ['a', 'b']) {
      const feed = openFeed({ budget: { creditsPerDay: PRICE, name } })
      await Promise.all([feed.price(token(1).address, { maxAgeMs: 0 }), clock.advance(SECOND)])
    }
    fake.expectCredits(5 * PRICE)
  })
})

describe('other options for an entry that is open', () => {
  const open = { credits: LIMIT, windowMs: DAY }

  test.each<[string, Partial<Extract<BudgetOptions, { credits: number }>>, string]>([
    ['credits', { credits: 2_000 }, 'credits is 2000 here and 1000 there'],
    ['windowMs', { windowMs: undefined }, 'windowMs is undefined here and 86400000 there'],
    ['exclusiveKey', { exclusiveKey: true }, 'exclusiveKey is true here and false there'],
    ['maxChargeDelayMs', { maxChargeDelayMs: 1 }, 'maxChargeDelayMs is 1 here and 60000 there'],
    ['storeTimeoutMs', { storeTimeoutMs: 1 }, 'storeTimeoutMs is 1 here and 5000 there'],
    ['several', { credits: 5, windowMs: 7 }, 'credits is 5 here and 1000 there, windowMs is 7 here and 86400000 there'],
  ])('are refused: %s', (_, other, difference) => {
    const store = new Map<string, string>()
    createBudget({ ...open, store })
    // A default that is given in writing is no other one.
    createBudget({ ...open, store, name: 'default', exclusiveKey: false, storeTimeoutMs: 5_000 })
    const again = { ...open, ...other, store }
    for (const attempt of [() => createBudget(again), () => createClient({ apiKey: 'esk_a_key', budget: again })]) {
      expect(attempt).toThrow(InvalidRequestError)
      expect(attempt).toThrow(expect.objectContaining({ code: 'invalid_option' }))
      expect(attempt).toThrow(`The budget "${CLIENT_KEY}" is open in this store with other options: ${difference}.`)
    }
  })

  test('are refused for the day of a feed, and accepted when every feed on it is closed', async () => {
    const { clock, openFeed } = setup()
    const first = openFeed({ budget: { creditsPerDay: 100 } })
    const second = openFeed({ budget: { creditsPerDay: 100 } })
    const openOther = () => openFeed({ budget: { creditsPerDay: 200 } })
    await Promise.all([first.price(token(1).address), clock.advance(SECOND)])
    // Closed twice, it is one use less.
    await Promise.all([first.close(), first.close()])
    expect(openOther).toThrow('credits is 200 here and 100 there')
    await second.close()
    const other = openOther()
    await Promise.all([other.price(token(2).address), clock.advance(SECOND)])
    expect(other.status()).toMatchObject({ spent: 2 * PRICE, limit: 200 })
  })

  test('are accepted when the clients on it are closed, or were never made', async () => {
    const { clock, store, open } = setup()
    const budget = { credits: 100, windowMs: DAY, store }
    expect(() => open({ budget: { ...budget, credits: 300 }, maxResponseBytes: -1 })).toThrow('maxResponseBytes')
    const first = open({ budget })
    await Promise.all([buyAll(first, 1), clock.advance(SECOND)])
    await first.close()
    const second = open({ budget: { ...budget, credits: 200 } })
    await Promise.all([buyAll(second, 9), clock.advance(SECOND)])
    expect(second.budget).toMatchObject({ spent: 200, available: 0 })
  })
})

describe('what another process has spent meanwhile', () => {
  const spend = async (store: BudgetStore, credits: number) => {
    const budget = createBudget(
      { credits: LIMIT, windowMs: DAY, store },
      steadyClock(() => DAY),
    )
    const reservation = await budget.reserve(credits)
    await reservation.confirm()
    return { budget, reservation }
  }
  const spendAll = async (store: BudgetStore, credits: number) => {
    const { budget, reservation } = await spend(store, credits)
    reservation.settle(credits)
    await budget.flush()
    return budget
  }

  test('is read when createBudget opens the entry again', async () => {
    const store = new Map<string, string>()
    const other = inAnotherProcess(store)
    const first = await spendAll(store, 300)
    await spendAll(other, 500)
    await expect(spendAll(store, 300)).rejects.toMatchObject({ code: 'budget_exceeded', available: 200 })
    await spendAll(store, 100)
    expect(first.spent).toBe(900)
    await expect(spendAll(other, 200)).rejects.toMatchObject({ available: 100 })
  })

  test('is not looked for while a request is in flight, which then counts as what it was', async () => {
    const store = new Map<string, string>()
    const { budget, reservation } = await spend(store, 300)
    await spendAll(inAnotherProcess(store), 500)
    await spendAll(store, 100)
    reservation.settle(200)
    expect(totals(budget)).toEqual({ spent: 300, reserved: 0, uncertain: 0, available: 700 })
  })

  test('holds up everybody on the entry until it is read, and one who cannot read it is refused', async () => {
    const map = new Map<string, string>()
    let reads = 0
    let fails = false
    const store: BudgetStore = {
      get(key) {
        reads++
        if (fails) throw new Error('The disk is gone.')
        return map.get(key)
      },
      set: (key, value) => map.set(key, value),
    }
    const first = await spendAll(store, 300)
    await spendAll(inAnotherProcess(map), 700)
    fails = true
    createBudget({ credits: LIMIT, windowMs: DAY, store })
    expect(first.spent).toBe(300)
    await expect(first.reserve(1)).rejects.toMatchObject({ code: 'state_unavailable' })
    fails = false
    await expect(first.reserve(1)).rejects.toMatchObject({ code: 'budget_exceeded', available: 0 })
    // The first write is read back.
    expect(reads).toBe(4)
  })

  test('counts in the window of now, also where the machine was asleep meanwhile', async () => {
    const store = new Map<string, string>()
    let awake = 0
    let wall = DAY
    const options = { credits: LIMIT, windowMs: DAY, store }
    const first = createBudget(options, { now: () => wall, monotonic: () => awake })
    const reservation = await first.reserve(900)
    reservation.settle(900)
    await first.flush()
    awake += SECOND
    wall += DAY
    const other = createBudget(
      { ...options, store: inAnotherProcess(store) },
      steadyClock(() => wall),
    )
    const later = await other.reserve(600)
    later.settle(600)
    await other.flush()
    const again = createBudget(options)
    await again.load()
    expect(first).toMatchObject({ spent: 600, available: 400, resetsAt: 3 * DAY })
  })

  test('is read before a reservation that waited for another read', async () => {
    const store = new Map<string, string>()
    const options = { credits: LIMIT, windowMs: DAY, store }
    await spendAll(store, 300)
    const elsewhere = new Map(store)
    await spendAll(elsewhere, 500)
    const budget = createBudget(options)
    const opened = budget.load().then(() => {
      for (const [key, text] of elsewhere) store.set(key, text)
      return createBudget(options)
    })
    await expect(budget.reserve(300)).rejects.toMatchObject({ code: 'budget_exceeded', available: 200 })
    expect(await opened).toBe(budget)
  })

  test('does not know the keys that are used here: they are written before anything is sent', async () => {
    const store = new Map<string, string>()
    const options = { credits: LIMIT, exclusiveKey: true }
    const send = async (on: BudgetStore) => {
      const budget = createBudget({ ...options, store: on })
      const reservation = await budget.reserve(PRICE)
      await reservation.confirm({}, 'esk_a_key')
      const { inUse } = JSON.parse(store.get(CLIENT_KEY) ?? '').keyBalances
      reservation.settle(PRICE)
      await budget.flush()
      return inUse.length
    }
    expect([await send(store), await send(inAnotherProcess(store)), await send(store)]).toEqual([1, 1, 1])
  })

  test('is not what an older text of its own says, which a store may show for a while', async () => {
    const texts: string[] = []
    const store: BudgetStore = { get: () => texts[0], set: (_, value) => texts.push(value) }
    await spendAll(store, 300)
    const again = createBudget({ credits: LIMIT, windowMs: DAY, store })
    await again.load()
    expect(totals(again)).toMatchObject({ spent: 300, uncertain: 0 })
  })

  test('is not looked for by a sweep beside another, whose calls have the room of one limit', async () => {
    const { clock, fake, open } = setup()
    const map = new Map<string, string>()
    const slow = <T>(value: () => T) => clock.sleep(100).then(value)
    const store = {
      get: (key: string) => slow(() => map.get(key)),
      set: (key: string, value: string) => slow(() => map.set(key, value)),
    }
    const begin = (from: number) =>
      watch(
        (async () => {
          for await (const _ of open().token.price.many(tokens(4, from), { store, maxCredits: 2 * PRICE }));
        })(),
      )
    // Its budget is read after 100 ms, the answers that it may know after 200 ms.
    const first = begin(0)
    await clock.advance(150)
    const second = begin(10)
    await clock.advance(60 * SECOND)
    expect([first.state, second.state]).toEqual(['resolved', 'resolved'])
    fake.expectCredits(2 * PRICE)
  })

  test('is read by the next sweep', async () => {
    const { clock, fake, store, open } = setup()
    const sweep = async (on: BudgetStore, from: number) => {
      const list = tokens(4, from)
      const reading = (async () => {
        for await (const _ of open().token.price.many(list, { store: on, maxCredits: 10 * PRICE }));
      })()
      await Promise.all([reading, clock.advance(SECOND)])
    }
    await sweep(store, 0)
    await sweep(inAnotherProcess(store), 10)
    await sweep(store, 20)
    fake.expectCredits(10 * PRICE)
  })
})

const KINDS = ['client', 'budget', 'feed', 'sweep'] as const
const FAULTS: FaultOptions[] = [{ status: 500 }, { reset: 'after' }, { status: 429, retryAfter: 3 }, { truncate: 20 }]

testProperty(
  'a crowd of clients, feeds and sweeps on one store: each entry keeps its limit and remembers all, whoever comes and goes',
  fc.asyncProperty(
    fc.array(
      fc.record({
        kind: fc.constantFrom(...KINDS),
        opensAfterMs: fc.nat({ max: 20_000 }),
        everyMs: fc.integer({ min: 1, max: 4_000 }),
        count: fc.integer({ min: 1, max: 12 }),
        closes: fc.boolean(),
      }),
      { minLength: 2, maxLength: 9 },
    ),
    fc.array(fc.constantFrom(...FAULTS), { maxLength: 3 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 0, max: 400 }),
    async (crowd, faults, prices, latencyMs) => {
      const clock = createVirtualClock()
      const limit = prices * PRICE
      const map = new Map<string, string>()
      const store = {
        async get(key: string) {
          await clock.sleep(latencyMs)
          return map.get(key)
        },
        async set(key: string, value: string) {
          await clock.sleep(latencyMs)
          map.set(key, value)
        },
        delete: async (key: string) => map.delete(key),
      }
      const serviceOf = { client: service(), feed: service(), sweep: service() }
      let failures = 0
      const budget = { credits: limit, windowMs: DAY, store }
      const buy = async (actor: (typeof crowd)[0], one: (index: number) => Promise<unknown>) => {
        const asked: Promise<unknown>[] = []
        for (let index = 0; index < actor.count; index++) {
          asked.push(one(index).catch(() => failures++))
          await clock.sleep(actor.everyMs)
        }
        // A feed whose day is spent waits for the next one.
        if (!actor.closes) await Promise.race([Promise.all(asked), clock.sleep(60 * SECOND)])
      }
      const run = async (actor: (typeof crowd)[0], from: number) => {
        const { kind, count, closes, opensAfterMs } = actor
        await clock.sleep(opensAfterMs)
        const { fake, transport } = serviceOf[kind === 'budget' ? 'client' : kind]
        const limits = kind === 'client' ? { budget } : kind === 'budget' ? { budget: createBudget(budget, clock) } : {}
        const client = createClient({ apiKey: fake.key, clock, transport, ...limits })
        if (kind === 'feed') {
          const feed = createPriceFeed(client, { clock, store, budget: { creditsPerDay: limit } })
          await buy(actor, (index) => feed.price(token(from + index).address, { maxAgeMs: 0 }))
          await feed.close()
        } else if (kind === 'sweep') {
          const list = tokens(count, from)
          let seen = 0
          for await (const _ of client.token.price.many(list, { store, maxCredits: limit }))
            if (closes && ++seen > 2) break
        } else await buy(actor, (index) => client.token.price(token(from + index)))
        await client.close()
      }
      const done = watch(Promise.all(crowd.map((actor, index) => run(actor, 100 * index))))
      for (let step = 0; done.state === 'pending' && step < 2_000; step++) await clock.advance(SECOND / 2)
      expect(done).toMatchObject({ state: 'resolved' })
      // A write that nobody waits for is made, too.
      await clock.advance(10 * SECOND)
      for (const [kind, key, windowMs] of [
        ['client', CLIENT_KEY, DAY],
        ['feed', FEED_KEY, DAY],
        ['sweep', SWEEP_KEY, undefined],
      ] as const) {
        const charged = serviceOf[kind].fake.charged()
        const options = { credits: limit, windowMs, store: inAnotherProcess(map) }
        const { budget: found } = openBudget(options, clock, { key })
        await found.load?.()
        expect(charged, kind).toBeLessThanOrEqual(limit)
        expect(found.spent + found.uncertain, kind).toBeGreaterThanOrEqual(charged)
        expect(found.spent + found.uncertain, kind).toBeLessThanOrEqual(limit)
        if (faults.length === 0 && !crowd.some(({ closes }) => closes)) expect(found.spent, kind).toBe(charged)
      }

      function service() {
        const fake = createFakeService({ clock, latencyMs: 300 })
        for (const fault of faults) fake.fault({ ...fault, probability: 0.15 })
        return { fake, transport: createDirectTransport(fake.fetch) }
      }
    },
  ),
  { cases: 20 },
)
