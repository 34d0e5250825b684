import type { FaultOptions } from 'etn-market/fake'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testProperty } from '../support/property.ts'
import { settle } from '../support/settle.ts'
import { errorOf, TOKENS } from './setup.ts'
import { type Listener, setupStream } from './stream-setup.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const [ONE = '', TWO = '', THREE = ''] = TOKENS
const query = (addresses: readonly string[], everyMs = 10 * SECOND) => `?addresses=${addresses}&everyMs=${everyMs}`
/** Addresses that no list has; the fake answers and charges for them. */
const unlisted = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `0x${(from + index + 1).toString(16).padStart(40, '0')}`)
const states = ({ reports }: Listener) => reports.map(({ state }) => state)

describe('what a visitor streams', () => {
  test('costs no more than the credits of a visitor, however many addresses', async () => {
    const { clock, listen, fake } = setupStream({}, { perVisitor: { credits: 1_000, windowMs: HOUR } })
    for (const stream of [0, 50, 100]) await listen(query(unlisted(50, stream), 5 * SECOND), { visitor: 'greedy' })
    await clock.advance(HOUR - SECOND)
    expect(fake.charged()).toBeGreaterThan(0)
    expect(fake.charged()).toBeLessThanOrEqual(1_000)
  })

  test('counts beside calls, and in the budget of all', async () => {
    const { clock, listen, ask, proxy, fake } = setupStream(
      {},
      { perVisitor: { credits: 1_000, windowMs: HOUR }, budget: { credits: 5_000, windowMs: HOUR } },
    )
    await listen(query([ONE, TWO, THREE], HOUR), { visitor: 'ada' })
    await clock.advance(SECOND)
    const { headers } = await ask(`/prices/52014/${TOKENS[9]}`, { visitor: 'ada' })
    expect(headers.get('x-credits-remaining')).toBe(String(1_000 - 130 - 50))
    expect(proxy.status().budget).toMatchObject({ limit: 5_000, spent: 180, available: 4_820 })
    fake.expectCredits(180)
  })

  test('is divided among those who want the same address, to the last credit', async () => {
    const { clock, listen, proxy, fake } = setupStream({}, { perVisitor: { credits: 10_000, windowMs: HOUR } })
    await listen(query([ONE], MINUTE), { visitor: 'ada' })
    await listen(query([ONE, TWO, THREE], MINUTE), { visitor: 'bob' })
    await clock.advance(10 * MINUTE - SECOND)
    const spent = Object.fromEntries(proxy.status().topSpenders.map((each) => [each.visitor, each.spent]))
    const sharesOfAda = fake.journal().map(({ path, query }) => {
      const addresses = query.addresses?.split(',') ?? [path.split('/').at(-1) ?? '']
      const has = addresses.some((address) => address.toLowerCase() === ONE.toLowerCase())
      const cost = addresses.length === 1 ? 50 : 100 + 10 * addresses.length
      return has ? cost / addresses.length / 2 : 0
    })
    expect(Math.abs((spent.ada ?? 0) - sharesOfAda.reduce((sum, share) => sum + share))).toBeLessThanOrEqual(1)
    expect((spent.ada ?? 0) + (spent.bob ?? 0) - fake.charged()).toBeGreaterThanOrEqual(0)
    expect((spent.ada ?? 0) + (spent.bob ?? 0) - fake.charged()).toBeLessThanOrEqual(2)
  })

  test('has limits of its own where they are given', async () => {
    const { clock, listen, ask, fake } = setupStream(
      { perVisitor: { credits: 300, windowMs: HOUR } },
      { perVisitor: { credits: 100, windowMs: HOUR } },
    )
    await listen(query([ONE, TWO, THREE], 10 * SECOND), { visitor: 'ada' })
    await clock.advance(10 * MINUTE)
    fake.expectCredits(260)
    const { headers } = await ask(`/prices/52014/${TOKENS[9]}`, { visitor: 'ada' })
    expect(headers.get('x-credits-remaining')).toBe('50')
  })

  test('goes on when the credits are renewed, and the page receives both states', async () => {
    const { clock, listen } = setupStream({}, { perVisitor: { credits: 130, windowMs: HOUR } })
    const page = await listen(query([ONE, TWO, THREE], 10 * SECOND), { visitor: 'ada' })
    await clock.advance(MINUTE)
    expect(states(page)).toEqual(['fine', 'out_of_credits'])
    const { waitMs = 0 } = page.reports.at(-1) ?? {}
    expect(waitMs).toBeGreaterThan(HOUR - MINUTE)
    const fresh = () => page.prices.filter(({ stale }) => !stale)
    expect(fresh()).toHaveLength(3)
    expect(page.prices.length).toBeGreaterThan(3)
    await clock.advance(HOUR)
    expect(fresh().length).toBeGreaterThan(3)
    expect(states(page).slice(2)).toContain('fine')
  })

  test('does not end what others pay for, or what the operator watches', async () => {
    const { clock, listen, feed } = setupStream({}, { perVisitor: { credits: 60, windowMs: HOUR } })
    const own: number[] = []
    feed.watch(ONE, { everyMs: MINUTE, onPrice: ({ at }) => void own.push(at) })
    const page = await listen(query([ONE, TWO], 10 * SECOND), { visitor: 'ada' })
    await clock.advance(30 * MINUTE)
    expect(states(page).at(-1)).toBe('out_of_credits')
    expect(own.length).toBeGreaterThanOrEqual(30)
    expect(feed.status()).toMatchObject({ state: 'running', addresses: 1 })
  })

  test('stops with the budget of all visitors', async () => {
    const { clock, listen, fake, ask } = setupStream({}, { budget: { credits: 400, windowMs: HOUR } })
    const pages = await Promise.all(
      ['ada', 'bob'].map((visitor) => listen(query([ONE, TWO, THREE], 10 * SECOND), { visitor })),
    )
    await clock.advance(30 * MINUTE)
    expect(fake.charged()).toBe(390)
    expect(pages.map((page) => states(page).at(-1))).toEqual(['out_of_credits', 'out_of_credits'])
    expect(await errorOf(ask(`/prices/52014/${ONE}`))).toBe('429 budget_exceeded')
  })

  test('counts to the end when it leaves right after its prices were asked for', async () => {
    const { clock, listen, fake, proxy } = setupStream({}, { perVisitor: { credits: 1_000, windowMs: HOUR } })
    fake.fault({ delayMs: 2_000, times: 10 })
    const page = await listen(query([ONE, TWO, THREE]), { visitor: 'ada' })
    await clock.advance(SECOND)
    await page.stop()
    await clock.advance(10 * SECOND)
    fake.expectCredits(130)
    expect(proxy.status().topSpenders).toMatchObject([{ visitor: 'ada', spent: 130, streams: 0 }])
  })
})

describe('the addresses that may be streamed', () => {
  test('are the listed tokens by default, which are bought once a week', async () => {
    const { clock, listen, ask, fake } = setupStream({ addresses: 'listed' })
    const [foreign = ''] = unlisted(1)
    expect(await errorOf(ask(`/stream${query([ONE, foreign])}`))).toBe('403 not_allowed')
    expect(fake.ledger().filter(({ operation }) => operation === 'token.list')).toHaveLength(1)
    for (let day = 0; day < 8; day++) {
      const { response, stop } = await listen(query([ONE], HOUR))
      expect(response.status).toBe(200)
      await stop()
      await clock.advance(24 * HOUR)
    }
    await listen(query([ONE], HOUR))
    await settle()
    expect(fake.ledger().filter(({ operation }) => operation === 'token.list')).toHaveLength(2)
  })

  test('and those of watches of the operator', async () => {
    const { listen, feed, fake } = setupStream({ addresses: [] })
    const [own = '', foreign = ''] = unlisted(2)
    feed.watch(own, { everyMs: MINUTE, onPrice() {} })
    expect((await listen(query([own]))).response.status).toBe(200)
    expect((await listen(query([foreign]), { visitor: 'x' })).response.status).toBe(403)
    // A stream makes nothing the operator's.
    feed.watch(own, { everyMs: MINUTE, onPrice() {} }).stop()
    fake.expectRequests(0)
  })

  test('are unknown while the list cannot be bought, and asked for again later', async () => {
    const { clock, listen, ask, fake } = setupStream({ addresses: 'listed' })
    fake.fault({ status: 403, times: 1 })
    expect(await errorOf(ask(`/stream${query([ONE])}`))).toBe('502 upstream_refused')
    expect(await errorOf(ask(`/stream${query([ONE])}`))).toBe('502 upstream_refused')
    expect(fake.journal()).toHaveLength(1)
    await clock.advance(MINUTE)
    expect((await listen(query([ONE]))).response.status).toBe(200)
  })
})

describe("the feed's budget", () => {
  const perDay = (tokens: number, everyMs: number) => ((100 + 10 * tokens) * 24 * HOUR) / everyMs
  const age = ({ prices }: Listener, address: string) => {
    const times = prices.filter((price) => price.address === address).map(({ at }) => at)
    return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))
  }

  test('is divided so that a greedy visitor lengthens its own intervals only', async () => {
    const { clock, listen, feed } = setupStream({}, {}, { budget: { creditsPerDay: 2 * perDay(10, MINUTE) } })
    const honest = await listen(query(TOKENS.slice(0, 10), MINUTE), { visitor: 'honest' })
    const greedy = await listen(query(TOKENS.slice(10, 60), 5 * SECOND), { visitor: 'greedy' })
    await clock.advance(HOUR / 2)
    expect(age(honest, ONE)).toBeLessThanOrEqual(1.1 * MINUTE)
    expect(states(honest)).toEqual(['fine'])
    expect(age(greedy, TOKENS[10] ?? '')).toBeGreaterThan(MINUTE)
    expect(states(greedy).at(-1)).toBe('stretched')
    expect(greedy.reports.at(-1)?.everyMs).toBeGreaterThan(MINUTE)
    expect(feed.status().spent).toBeLessThan((1.1 * 2 * perDay(10, MINUTE)) / 24)
  })

  test('is there for the watches of the operator first', async () => {
    const { clock, listen, feed } = setupStream({}, {}, { budget: { creditsPerDay: 1.5 * perDay(10, MINUTE) } })
    const own: number[] = []
    const onPrice = ({ address, at }: { address: string; at: number }) => address === ONE && own.push(at)
    feed.watch(TOKENS.slice(0, 10), { everyMs: MINUTE, onPrice })
    for (let visitor = 0; visitor < 5; visitor++)
      await listen(query(TOKENS.slice(10, 60), 5 * SECOND), { visitor: `${visitor}` })
    await clock.advance(HOUR / 2)
    expect(Math.max(...own.slice(1).map((at, index) => at - (own[index] ?? 0)))).toBeLessThanOrEqual(1.1 * MINUTE)
    expect(feed.status().stretch).toBeLessThanOrEqual(1.1)
  })
})

const FAULTS: readonly FaultOptions[] = [
  { reset: 'after' },
  { status: 500 },
  { never: true },
  { html: 502, charge: true },
  { malformed: true },
  { creditHeaders: 'missing' },
  { status: 402 },
]
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ open: fc.nat(3), from: fc.nat(8), count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ close: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ fault: fc.nat(FAULTS.length - 1) }) },
  { weight: 4, arbitrary: fc.record({ waitMs: fc.nat(90_000) }) },
)

testProperty(
  'every credit that streams may have cost is counted, and no limit is passed, while visitors come, leave and fail',
  fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
    const limit = { credits: 700, windowMs: 10 * HOUR }
    const { clock, listen, fake, proxy, feed } = setupStream({}, { perVisitor: limit, budget: { credits: 2_000 } })
    const open: Listener[] = []
    for (const each of steps) {
      if ('open' in each)
        open.push(await listen(query(TOKENS.slice(each.from, each.from + each.count)), { visitor: `${each.open}` }))
      else if ('close' in each) await open.splice(each.close, 1)[0]?.stop()
      else if ('fault' in each) fake.fault(FAULTS[each.fault] as FaultOptions)
      else await clock.advance(each.waitMs)
    }
    for (const each of open) await each.stop()
    await clock.advance(MINUTE)
    const { topSpenders, budget } = proxy.status()
    expect(budget?.spent).toBeGreaterThanOrEqual(fake.charged())
    expect(fake.charged()).toBeLessThanOrEqual(2_000)
    for (const { spent } of topSpenders) expect(spent).toBeLessThanOrEqual(limit.credits)
    expect(topSpenders.reduce((sum, { spent }) => sum + spent, 0)).toBeGreaterThanOrEqual(fake.charged())
    await settle()
    expect(feed.status().watches).toBe(0)
    await feed.close()
    expect(clock.pending).toBe(0)
  }),
  { cases: 20 },
)
