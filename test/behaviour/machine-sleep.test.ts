import { createBudget, createClient } from 'etn-market'
import { watchCandles } from 'etn-market/candles'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed, type FeedPrice } from 'etn-market/feed'
import { watchPortfolio } from 'etn-market/portfolio'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SystemClock } from '../../src/concurrency/clock.ts'
import { costs, limited, ok, price, wait } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'
import { inAnotherProcess } from '../support/store.ts'

const { BOLT, CORE } = fakeTokens
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NIGHT = 8 * HOUR
const ELEVEN_AT_NIGHT = Date.UTC(2026, 10, 20, 23)

/** Whether the monotonic clock counts the sleep: it does on macOS and Windows, and on Linux by the boot clock. Elsewhere the wall clock alone shows it. */
const kinds = [['counted by the monotonic clock', true] as const, ['shown by the wall clock alone', false] as const]

function setupFeed(start?: number) {
  const clock = createVirtualClock(start)
  clock.randomValue = 0.5
  const fake = createFakeService({ clock })
  const client = createClient({ apiKey: fake.key, clock, transport: createDirectTransport(fake.fetch) })
  const open = (options = {}) => createPriceFeed(client, { clock, ...options })
  return { clock, fake, client, open }
}

describe.each(kinds)('after a sleep that is %s', (_, isCertain) => {
  describe('a feed', () => {
    test('gives no old price out as a young one: it says how old it is, and buys each again once', async () => {
      const { clock, fake, open } = setupFeed()
      const feed = open({ budget: { creditsPerDay: 1_000_000 } })
      const prices: FeedPrice[] = []
      feed.watch([BOLT, CORE], { everyMs: MINUTE, onPrice: (one) => void prices.push(one) })
      await clock.advance(10 * MINUTE)
      const before = prices.length
      const charged = fake.charged()
      clock.suspend(NIGHT, isCertain)
      expect(feed.peek(BOLT)).toMatchObject({ stale: true })
      const asked = watch(feed.price(BOLT, { maxAgeMs: MINUTE }))
      await clock.advance(11 * SECOND)
      expect(asked).toMatchObject({ state: 'resolved', value: { stale: false } })
      expect(asked.value?.ageMs).toBeLessThan(MINUTE)
      const [first] = prices.slice(before)
      expect(first?.stale ? first.ageMs >= NIGHT : first?.ageMs === 0).toBe(true)
      expect(feed.peek(BOLT)).toMatchObject({ stale: false })
      expect(fake.charged() - charged).toBeLessThanOrEqual(150)
      await feed.close()
    })

    test('reports that a price is old within ten seconds, where none can be bought', async () => {
      const { clock, fake, open } = setupFeed()
      const feed = open()
      const prices: FeedPrice[] = []
      feed.watch(BOLT, { everyMs: 30 * MINUTE, onPrice: (one) => void prices.push(one) })
      await clock.advance(MINUTE)
      fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
      clock.suspend(NIGHT, isCertain)
      await clock.advance(10 * SECOND)
      expect(prices.at(-1)).toMatchObject({ stale: true })
      expect(prices.at(-1)?.ageMs).toBeGreaterThanOrEqual(NIGHT)
      await feed.close()
    })

    test('values a wallet by prices of after the sleep, or says that they are older', async () => {
      const { clock, fake, open } = setupFeed()
      const wallet = address(7)
      const feed = open()
      const seen: { readonly at: number; readonly stale: boolean }[] = []
      const options = { everyMs: MINUTE, balancesEveryMs: 30 * MINUTE }
      const reading = (async () => {
        for await (const portfolio of watchPortfolio(feed, wallet, options)) seen.push(portfolio)
      })()
      await clock.advance(10 * MINUTE)
      const before = seen.length
      expect(seen.at(-1)).toMatchObject({ stale: false })
      const outage = fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
      clock.suspend(NIGHT, isCertain)
      await clock.advance(2 * MINUTE)
      expect(seen.slice(before).filter(({ stale }) => !stale)).toEqual([])
      outage.remove()
      // Late by one interval of its balances at most.
      await clock.advance(31 * MINUTE)
      expect(seen.length).toBeGreaterThan(before)
      expect(seen.at(-1)).toMatchObject({ stale: false })
      expect(clock.now() - (seen.at(-1)?.at ?? 0)).toBeLessThan(30 * MINUTE)
      await feed.close()
      await reading
    })

    test('buys missing candles in one request', async () => {
      const { clock, fake, open } = setupFeed()
      const feed = open()
      const candles = watchCandles(feed, BOLT, { bucket: '1m', everyMs: MINUTE, limit: 100 })[Symbol.asyncIterator]()
      const first = watch(candles.next())
      await clock.advance(SECOND)
      expect(first.state).toBe('resolved')
      clock.suspend(NIGHT, isCertain)
      const before = fake.journal().length
      const next = watch(candles.next())
      await clock.advance(MINUTE)
      expect(next.state).toBe('resolved')
      expect(fake.journal().slice(before)).toHaveLength(1)
      await feed.close()
    })

    test('takes no answer that has waited in the machine for a young one', async () => {
      const { clock, fake, open } = setupFeed()
      const feed = open()
      fake.fault({ delayMs: 5 * SECOND, times: 1 })
      const asked = watch(feed.price(BOLT, { maxAgeMs: MINUTE }))
      await clock.advance(SECOND)
      clock.suspend(NIGHT, isCertain)
      await clock.advance(20 * SECOND)
      expect(asked.state).toBe('resolved')
      expect(asked.value?.ageMs).toBeLessThan(MINUTE)
      await feed.close()
    })
  })

  test('a feed takes no answer for a young one that another feed has waited for since before it', async () => {
    const { clock, fake, open } = setupFeed()
    const [first, feed] = [open(), open()]
    fake.fault({ delayMs: 5 * SECOND, times: 1 })
    const waited = watch(first.price(BOLT))
    await clock.advance(SECOND)
    clock.suspend(NIGHT, isCertain)
    const asked = watch(feed.price(BOLT, { maxAgeMs: MINUTE }))
    await clock.advance(20 * SECOND)
    // Both have asked again.
    expect([waited.state, asked.state]).toEqual(['resolved', 'resolved'])
    expect(asked.value?.usd).toBe(waited.value?.usd)
    for (const each of [first, feed]) await each.close()
  })

  test('a day of a budget with a store is the one of the wall clock, and no true day is overspent', async () => {
    const clock = createVirtualClock(ELEVEN_AT_NIGHT)
    const store = new Map<string, string>()
    const spentOn = new Map<number, number>()
    const budget = createBudget({ credits: 1_000, windowMs: DAY, store }, clock)
    await budget.load()
    const spendAll = async () => {
      for (;;) {
        const reservation = await Promise.resolve(budget.reserve(100)).catch(() => undefined)
        if (reservation === undefined) return
        await reservation.confirm()
        reservation.settle(100)
        const day = Math.floor(clock.now() / DAY)
        spentOn.set(day, (spentOn.get(day) ?? 0) + 100)
      }
    }
    for (let night = 0; night < 5; night++) {
      await spendAll()
      clock.suspend(NIGHT, isCertain)
      await spendAll()
      expect(budget.resetsAt).toBeGreaterThan(clock.now())
      await clock.advance(2 * HOUR)
      await spendAll()
      // Awake until the evening, when the whole day's credits have been there.
      await clock.advance(14 * HOUR)
      expect(budget.resetsAt).toBe((Math.floor(clock.now() / DAY) + 1) * DAY)
    }
    for (const [day, spent] of spentOn) expect(spent, String(day)).toBe(1_000)
    expect(spentOn.size).toBe(6)
    await budget.flush()
    const other = createBudget({ credits: 1_000, windowMs: DAY, store: inAnotherProcess(store) }, clock)
    await other.load()
    expect(other.spent).toBe(budget.spent)
  })

  test('a cached answer is as old as it is', async () => {
    const clock = createVirtualClock()
    const cache = { ttlMs: { 'token.price': 10 * MINUTE }, store: new Map<string, string>() }
    const { client, script } = setup(() => ok(price(address(1)), costs(50)), { clock, cache })
    const ask = async () => {
      await client.token.price({ address: address(1) })
      await clock.advance(0)
      return script.requests.length
    }
    await ask()
    expect(await ask()).toBe(1)
    clock.suspend(NIGHT, isCertain)
    expect(await ask()).toBe(2)
    expect(await ask()).toBe(2)
    // What is kept after the sleep is fresh for another process, too.
    const other = setup(() => ok(price(address(1)), costs(50)), { clock, cache })
    await other.client.token.price({ address: address(1) })
    expect(other.script.requests).toHaveLength(0)
  })
})

describe('after a sleep that is certain', () => {
  test('a call whose deadline has passed is not sent, and says how long it took', async () => {
    const clock = createVirtualClock()
    const events: { type: string; durationMs?: number }[] = []
    const { client, script } = setup(
      ({ number }) => (number === 1 ? limited(wait(10)) : ok(price(address(1)), costs(50))),
      {
        clock,
        retry: false,
        onEvent: (event) => void events.push(event),
      },
    )
    watch(client.etn.price())
    await clock.advance(SECOND)
    const parked = watch(client.token.price({ address: address(1) }, { deadlineMs: MINUTE }))
    await clock.advance(SECOND)
    clock.suspend(NIGHT, true)
    await clock.advance(2 * MINUTE)
    expect(script.requests).toHaveLength(1)
    expect(parked.error).toMatchObject({ code: 'deadline_exceeded', attempts: 0, charge: 'none' })
    expect(events.at(-1)?.durationMs).toBeGreaterThanOrEqual(NIGHT)
  })

  test('a call that wakes to retry after its deadline rejects then, and not when the timer of its deadline fires', async () => {
    const clock = createVirtualClock()
    const { client, script } = setup(() => limited(wait(10)), { clock, deadlineMs: HOUR })
    const retried = watch(client.etn.price())
    await clock.advance(SECOND)
    clock.suspend(NIGHT, true)
    await clock.advance(10 * SECOND)
    expect(retried.error).toMatchObject({ code: 'deadline_exceeded', attempts: 1, charge: 'none' })
    expect([script.requests.length, clock.pending]).toEqual([1, 0])
  })

  test('candles that waited for the next day of the budget are bought within ten seconds', async () => {
    const clock = createVirtualClock(ELEVEN_AT_NIGHT)
    const fake = createFakeService({ clock })
    const budget = createBudget({ credits: 1_000, windowMs: DAY, store: new Map<string, string>() }, clock)
    const client = createClient({ apiKey: fake.key, clock, budget, transport: createDirectTransport(fake.fetch) })
    const feed = createPriceFeed(client, { clock })
    const candles = watchCandles(feed, BOLT, { bucket: '1h', everyMs: MINUTE, limit: 10 })[Symbol.asyncIterator]()
    const [first, second] = [watch(candles.next()), watch(candles.next())]
    await clock.advance(SECOND)
    expect(first.state).toBe('resolved')
    const rest = await budget.reserve(budget.available)
    await rest.confirm()
    rest.settle(rest.credits)
    feed.watch(BOLT, { everyMs: MINUTE, onPrice() {}, onError() {} })
    await clock.advance(2 * MINUTE)
    expect(feed.status().reason).toBe('budget_exceeded')
    clock.suspend(NIGHT, true)
    await clock.advance(10 * SECOND)
    expect(second.state).toBe('resolved')
    await feed.close()
  })

  test('a window of a budget in memory is over', async () => {
    const clock = createVirtualClock()
    const budget = createBudget({ credits: 100, windowMs: HOUR }, clock)
    budget.reserve(100).settle(100)
    clock.suspend(NIGHT, true)
    expect(budget.available).toBe(100)
  })

  test('a key that was refused is asked for again', async () => {
    const clock = createVirtualClock()
    const { client, script } = setup(({ number }) => (number === 1 ? limited(wait(30)) : ok({}, costs(120))), {
      clock,
      retry: false,
    })
    watch(client.etn.price())
    await clock.advance(SECOND)
    clock.suspend(NIGHT, true)
    const after = watch(client.prices.batch({ addresses: addresses(2) }))
    await clock.advance(SECOND)
    expect([after.state, script.requests.length]).toEqual(['resolved', 2])
  })
})

describe('a jump that may be a step of the clock', () => {
  test('shortens no cool-down and no deadline', async () => {
    const clock = createVirtualClock()
    const { client, script } = setup(({ number }) => (number === 1 ? limited(wait(30)) : undefined), {
      clock,
      retry: false,
    })
    watch(client.etn.price())
    await clock.advance(SECOND)
    clock.suspend(NIGHT, false)
    const parked = watch(client.token.price({ address: address(1) }, { deadlineMs: 40 * SECOND }))
    await clock.advance(28 * SECOND)
    expect(script.requests).toHaveLength(1)
    await clock.advance(SECOND)
    expect(script.requests).toHaveLength(2)
    await clock.advance(10 * SECOND)
    expect(parked.state).toBe('pending')
    await clock.advance(SECOND)
    expect(parked.error).toMatchObject({ code: 'deadline_exceeded' })
  })
})

describe('the clock of the system', () => {
  const machine = { wall: 0, elapsed: 0, boot: 0, asked: 0 }
  const isLinux = process.platform === 'linux'

  function pass(ms: number, { slept = 0, stepped = 0 } = {}) {
    machine.elapsed += ms
    machine.boot += ms + slept
    machine.wall += ms + slept + stepped
  }

  function start() {
    Object.assign(machine, { wall: Date.UTC(2026, 10, 20), elapsed: 1_234.5, boot: 98_765_430, asked: 0 })
    vi.spyOn(Date, 'now').mockImplementation(() => Math.floor(machine.wall))
    vi.spyOn(performance, 'now').mockImplementation(() => machine.elapsed)
    vi.spyOn(process, 'getBuiltinModule').mockImplementation((() => ({
      uptime() {
        machine.asked++
        // It has a resolution of ten milliseconds.
        return Math.floor(machine.boot / 10) / 100
      },
    })) as never)
    const clock = new SystemClock()
    const begun = clock.monotonic()
    return () => clock.monotonic() - begun
  }
  afterEach(() => void vi.restoreAllMocks())

  test.runIf(isLinux)('counts sleep that the boot clock shows, and no step of the wall clock', () => {
    const elapsed = start()
    pass(5_000.25)
    expect(elapsed()).toBe(5_000.25)
    pass(1_000, { slept: NIGHT })
    expect(elapsed()).toBeCloseTo(6_000.25 + NIGHT, -2)
    const before = elapsed()
    pass(1_000, { stepped: HOUR })
    pass(1_000, { stepped: -2 * HOUR })
    expect(elapsed()).toBe(before + 2_000)
    pass(0, { slept: NIGHT, stepped: -HOUR / 2 })
    expect(elapsed()).toBeCloseTo(before + 2_000 + NIGHT, -2)
  })

  test.runIf(isLinux)('counts minutes of sleep after weeks without any', () => {
    const elapsed = start()
    for (let hour = 0; hour < 24 * 21; hour++) {
      pass(HOUR)
      elapsed()
    }
    const before = elapsed()
    pass(1_000, { slept: 600_000 })
    expect(elapsed()).toBeCloseTo(before + 601_000, -2)
  })

  test.runIf(isLinux)('asks the boot clock only where the wall clock ran ahead', () => {
    const elapsed = start()
    const { asked } = machine
    for (let second = 0; second < 1_000; second++) {
      pass(1_000.0625)
      elapsed()
    }
    expect(machine.asked).toBe(asked)
    pass(1, { stepped: 2_000 })
    elapsed()
    elapsed()
    expect(machine.asked).toBe(asked + 1)
  })

  test('has no boot clock where the runtime has none', () => {
    const elapsed = start()
    vi.spyOn(process, 'getBuiltinModule').mockImplementation((() => undefined) as never)
    pass(1_000, { slept: NIGHT })
    expect(elapsed()).toBe(1_000)
  })
})
