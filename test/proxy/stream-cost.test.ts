import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { passTurn } from '../support/count-turns.ts'
import { testProperty } from '../support/property.ts'
import { settle } from '../support/settle.ts'
import { errorOf, KEY, TOKENS } from './setup.ts'
import { type Listener, manualFeed, query, setupStream } from './stream-setup.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const [ONE = '', TWO = '', THREE = ''] = TOKENS
/** Addresses that no list has; the fake answers and charges for them. */
const unlisted = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `0x${(from + index + 1).toString(16).padStart(40, '0')}`)
const states = ({ reports }: Listener) => reports.map(({ state }) => state)
/** What the prices of so many addresses cost at most, bought one by one in each interval that has begun. */
const most = (addresses: number, everyMs: number, lastsMs: number) =>
  50 * addresses * (Math.floor(lastsMs / everyMs) + 1)

/** What a feed charges that watches some tokens for a while, without a proxy. */
async function chargedAlone(tokens: readonly string[], everyMs: number, lastsMs: number): Promise<number> {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock, keys: { [KEY]: 1e9 } })
  const client = createClient({ apiKey: KEY, fetch: fake.fetch, clock })
  const feed = createPriceFeed(client, { clock })
  feed.watch(tokens, { everyMs, onPrice() {} })
  await clock.advance(lastsMs)
  await feed.close()
  await client.close()
  return fake.charged()
}

describe('what streams cost', () => {
  test('a hundred visitors who stay cost what the feed alone costs, to the credit, whenever they come', async () => {
    const tokens = TOKENS.slice(0, 20)
    const { clock, listen, fake, proxy } = setupStream()
    const first = await listen(query(tokens), { visitor: 'first' })
    await clock.advance(5 * MINUTE)
    const spelling = query(tokens.toReversed())
    const others = await Promise.all(
      Array.from({ length: 99 }, (_, index) => listen(spelling, { visitor: `${index}` })),
    )
    await clock.advance(5 * MINUTE)
    expect(fake.charged()).toBe(await chargedAlone(tokens, MINUTE, 10 * MINUTE))
    expect(proxy.status()).toMatchObject({ streams: 100, visitors: 0, topSpenders: [] })
    expect(new Set(others.map(({ prices }) => prices.length)).size).toBe(1)
    expect(others[7]?.prices.length).toBeGreaterThanOrEqual(20 * 6)
    expect(others[7]?.prices.at(-1)).toEqual(first.prices.at(-1))
  })

  test('no visitor pays, and a call of a visitor is not paid for by streams', async () => {
    const { clock, listen, ask, proxy } = setupStream(
      {},
      { perVisitor: { credits: 100, windowMs: HOUR }, budget: { credits: 5_000, windowMs: HOUR } },
    )
    await listen(query([ONE, TWO, THREE]), { visitor: 'ada' })
    await clock.advance(10 * MINUTE)
    const { headers } = await ask(`/prices/52014/${TOKENS[9]}`, { visitor: 'ada' })
    expect(headers.get('x-credits-remaining')).toBe('50')
    expect(proxy.status().budget).toMatchObject({ spent: 50 })
  })

  test('a visitor who comes and goes alone buys no address more than once in an interval', async () => {
    const { clock, listen, fake } = setupStream()
    for (let turn = 0; turn < 200; turn++) {
      const { stop } = await listen(query([ONE]), { visitor: 'restless' })
      await clock.advance(4_300)
      await stop()
      await clock.advance(900)
    }
    const times = fake.journal().map(({ at }) => at)
    expect(times.length).toBeGreaterThan(10)
    for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(MINUTE)
  })

  test.each([
    [1, 300, 6],
    [20, 300, 6],
    [1, 7_000, 2],
    [20, 7_000, 6],
  ])(
    '%i addresses whose answers take %i ms cost what the status says, within an interval, in %i h',
    async (count, latencyMs, hours) => {
      const { clock, listen, fake, proxy } = setupStream({ heartbeatMs: 29 * SECOND }, {}, {}, { latencyMs })
      const page = await listen(query(TOKENS.slice(0, count)))
      await clock.advance(hours * HOUR)
      const { staying = 0 } = proxy.status().stream?.creditsPerDay ?? {}
      const [said, once] = [(staying * hours) / 24, staying / 1_440]
      expect(fake.charged()).toBeGreaterThanOrEqual(said - once)
      expect(fake.charged()).toBeLessThanOrEqual(said + once)
      // What is on its way is expected for two seconds; pages are told what it takes beyond them.
      expect(page.reports.at(-1)?.everyMs).toBe(MINUTE + Math.max(0, 1.05 * latencyMs - 2 * SECOND))
      expect(page.prices.filter(({ stale }) => stale)).toEqual([])
      expect(new Set(states(page))).toEqual(new Set(['connected']))
    },
  )

  test('an operator is told both figures, and the stretch that they mean', async () => {
    const staying = 130 * 1_440
    const { listen, proxy } = setupStream({}, {}, { budget: { creditsPerDay: staying / 2 } })
    expect(proxy.status().stream).toMatchObject({ addresses: 0, creditsPerDay: { staying: 0, rotating: 0 } })
    await listen(query([ONE, TWO, THREE]))
    expect(proxy.status().stream).toEqual({
      addresses: 3,
      everyMs: MINUTE,
      creditsPerDay: { staying, rotating: 150 * 1_440 },
      stretch: { staying: 2, rotating: (150 * 1_440) / (staying / 2) },
    })
  })
})

const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ open: fc.nat(99), from: fc.nat(30), count: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 4, arbitrary: fc.record({ close: fc.nat(30) }) },
  { weight: 4, arbitrary: fc.record({ waitMs: fc.nat(90_000) }) },
  { weight: 1, arbitrary: fc.record({ fault: fc.constantFrom(503, 500) }) },
)

testProperty(
  'however 100 identities open and close streams, the cost stays below the most, and who stays gets each price in time',
  fc.asyncProperty(fc.array(action, { minLength: 20, maxLength: 80 }), async (actions) => {
    const { clock, listen, fake, feed } = setupStream({ addresses: TOKENS.slice(0, 40) })
    const honest = await listen(query(TOKENS.slice(0, 5)), { visitor: 'honest' })
    const start = clock.now()
    const open: Listener[] = []
    let hasFaults = false
    for (const each of actions) {
      if ('open' in each)
        open.push(await listen(query(TOKENS.slice(each.from, each.from + each.count)), { visitor: `${each.open}` }))
      else if ('close' in each) await open.splice(each.close, 1)[0]?.stop()
      else if ('fault' in each) {
        hasFaults = true
        fake.fault({ status: each.fault, times: 1 })
      } else await clock.advance(each.waitMs)
    }
    const lasts = clock.now() - start
    expect(fake.charged()).toBeLessThanOrEqual(most(40, MINUTE, lasts))
    for (const address of TOKENS.slice(0, 5)) {
      const times = [start, ...honest.prices.filter((price) => price.address === address).map(({ at }) => at)]
      const gaps = [...times.slice(1), clock.now()].map((at, index) => at - (times[index] ?? 0))
      expect(Math.max(...gaps)).toBeLessThanOrEqual(MINUTE + (hasFaults ? 20 : 3) * SECOND)
    }
    for (const each of [honest, ...open]) await each.stop()
    await settle()
    expect(feed.status().watches).toBe(0)
    await feed.close()
    expect(clock.pending).toBe(0)
  }),
  { cases: 3 },
)

describe("with 'any' address", () => {
  test('one visitor cannot hold all places, and others are served', async () => {
    const { clock, listen } = setupStream({ addresses: 'any', maxAddresses: 20 })
    const greedy = await listen(query(unlisted(20)), { visitor: 'greedy' })
    const again = await listen(query(unlisted(20, 20)), { visitor: 'greedy' })
    expect(greedy.response.status).toBe(200)
    expect(again.response.status).toBe(429)
    const honest = await listen(query([ONE, TWO]), { visitor: 'honest' })
    await clock.advance(SECOND)
    expect(greedy.prices).toHaveLength(10)
    expect(greedy.refused).toHaveLength(10)
    expect(honest.prices).toHaveLength(2)
    expect(honest.refused).toEqual([])
  })

  test('what two visitors want counts for neither, and a place is kept for an interval', async () => {
    const { clock, listen, feed } = setupStream({ addresses: 'any', maxAddresses: 4 })
    const ada = await listen(query([ONE, TWO]), { visitor: 'ada' })
    await listen(query([ONE, TWO]), { visitor: 'bob' })
    const more = await listen(query([THREE]), { visitor: 'ada' })
    expect(more.response.status).toBe(200)
    await ada.stop()
    await more.stop()
    const [four = '', five = ''] = TOKENS.slice(3)
    await listen(query([four]), { visitor: 'eve' })
    const refused = await listen(query([five]), { visitor: 'tom' })
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '60'])
    expect(feed.status().addresses).toBe(3)
    await clock.advance(MINUTE)
    expect((await listen(query([five]), { visitor: 'tom' })).response.status).toBe(200)
  })
})

describe("when the feed's budget is too small", () => {
  test('rotating visitors lengthen the intervals of others by the known stretch at most', async () => {
    const rotating = 50 * 1_440 * 30
    const { clock, listen, proxy, fake } = setupStream(
      { addresses: TOKENS.slice(0, 30) },
      {},
      { budget: { creditsPerDay: rotating / 3 } },
    )
    const honest = await listen(query([ONE, TWO, THREE]), { visitor: 'honest' })
    for (let turn = 0; turn < 45; turn++) {
      const streams = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          listen(query(TOKENS.slice((turn * 5 + index) % 30, ((turn * 5 + index) % 30) + 1)), {
            visitor: `${turn} ${index}`,
          }),
        ),
      )
      await clock.advance(MINUTE)
      for (const { stop } of streams) await stop()
    }
    const times = honest.prices.filter(({ address }) => address === ONE).map(({ at }) => at)
    const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)))
    // Of all places; the status has the figures of the addresses that are wanted now.
    expect(longest).toBeLessThanOrEqual(3.3 * MINUTE)
    expect(fake.charged()).toBeLessThanOrEqual(rotating / 3)
    expect(proxy.status().feed?.stretch).toBeLessThanOrEqual(3.3)
  })

  test('the pace that a page is told is longer, and no price is called stale for it', async () => {
    const { clock, listen } = setupStream({}, {}, { budget: { creditsPerDay: (130 * 1_440) / 4 } })
    await clock.advance(SECOND)
    const page = await listen(query([ONE, TWO, THREE]))
    await clock.advance(30 * MINUTE)
    expect(page.reports.at(-1)?.everyMs).toBeGreaterThan(1.9 * MINUTE)
    expect(page.reports.at(-1)?.state).toBe('connected')
    expect(page.prices.filter(({ stale }) => stale)).toEqual([])
  })

  test('a page is told that the service refuses the key, and that it does not answer', async () => {
    const { clock, listen, fake } = setupStream()
    fake.fault({ status: 401, times: 2 })
    const page = await listen(query([ONE, TWO, THREE]))
    await clock.advance(10 * SECOND)
    expect(page.reports.at(-1)).toMatchObject({ state: 'refused', code: 'upstream_refused' })
    await clock.advance(10 * MINUTE)
    expect(states(page).at(-1)).toBe('connected')
    clock.randomValue = 0.9
    fake.fault({ status: 503, times: 1_000 })
    await clock.advance(2 * MINUTE)
    expect(page.reports.at(-1)).toMatchObject({ state: 'stale', code: 'upstream_down' })
  })
})

describe('the addresses that may be streamed', () => {
  test('are the listed tokens by default, which are bought once', async () => {
    const { clock, listen, ask, fake } = setupStream({ addresses: undefined })
    const [other = ''] = unlisted(1)
    const mixed = await listen(query([ONE, other]))
    const none = await listen(query([other]))
    await clock.advance(SECOND)
    expect(mixed.refused).toEqual([{ address: other, code: 'not_allowed' }])
    expect(mixed.prices).toHaveLength(1)
    expect([none.refused, none.end(), none.hasEnded()]).toEqual([
      [{ address: other, code: 'not_allowed' }],
      { status: 403, code: 'not_allowed' },
      true,
    ])
    // As soon as the list is known, without a stream.
    expect(await errorOf(ask(`/stream${query([other])}`))).toBe('403 not_allowed')
    expect(fake.ledger().filter(({ operation }) => operation === 'token.list')).toHaveLength(1)
  })

  test('are unknown while the service is silent: a stream opens at once, and says why it has no prices', async () => {
    const { clock, listen, ask, fake, proxy } = setupStream({ addresses: 'listed', maxStreams: 2 })
    fake.fault({ never: true, times: 5 })
    const page = await listen(query([ONE]))
    await settle()
    expect([page.response.status, page.settings()]).toEqual([200, { everyMs: MINUTE, heartbeatMs: 15 * SECOND }])
    // What needs no list keeps its status.
    expect(await errorOf(ask('/stream?addresses=x'))).toBe('400 invalid_request')
    await listen(query([TWO]))
    expect(await errorOf(ask(`/stream${query([THREE])}`, { visitor: 'other' }))).toBe('429 too_many_streams')
    await clock.advance(30 * SECOND)
    expect([page.heartbeats(), page.prices, page.refused]).toEqual([2, [], []])
    await clock.advance(30 * SECOND)
    expect([page.end(), page.hasEnded()]).toEqual([{ status: 504, code: 'upstream_timeout', waitMs: SECOND }, true])
    expect([proxy.status().streams, clock.pending]).toEqual([0, 0])
  })

  test('are unknown until a slow list has come, also if visitors leave meanwhile; then all are served', async () => {
    const { clock, listen, fake, proxy } = setupStream({ addresses: 'listed' })
    fake.fault({ delayMs: 5 * SECOND, times: 1 })
    const [stays, leaves] = [await listen(query([ONE])), await listen(query([TWO]))]
    await clock.advance(SECOND)
    await leaves.stop()
    await clock.advance(10 * SECOND)
    expect(stays.prices.map(({ address }) => address)).toEqual([ONE])
    expect(stays.reports.at(-1)).toMatchObject({ state: 'connected' })
    expect(proxy.status()).toMatchObject({ streams: 1, stream: { addresses: 1 } })
    expect(fake.charged({ operation: 'token.price' })).toBe(50)
  })

  test('are unknown while the list cannot be bought, and asked for again later', async () => {
    const { clock, listen, fake } = setupStream({ addresses: 'listed' })
    fake.fault({ status: 403, times: 1 })
    for (let turn = 0; turn < 2; turn++) {
      const refused = await listen(query([ONE]))
      await settle()
      expect(refused.end()).toEqual({ status: 502, code: 'upstream_refused', waitMs: SECOND })
    }
    expect(fake.journal()).toHaveLength(1)
    await clock.advance(MINUTE)
    const { prices } = await listen(query([ONE]))
    await clock.advance(SECOND)
    expect(prices).toHaveLength(1)
  })
})

describe('work of the event loop', () => {
  test('so many streams, and bytes, are written in a turn, and the text of a list is made once in it', async () => {
    const { feed, deliver } = manualFeed()
    const clock = createVirtualClock()
    const { monotonic = clock.now } = clock
    let readings = 0
    // As the clock of a machine does: no two readings are the same.
    clock.monotonic = () => monotonic() + ++readings / 1_000
    const { ask } = setupStream({ perVisitor: { streams: 10_000 } }, { feed, clock })
    const LISTS = 50
    const STREAMS = 500
    const tokens = TOKENS.slice(0, 59)
    let written: Uint8Array[] = []
    const read = async (response: Response) => {
      const reader = response.body?.getReader()
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) written.push(part.value)
    }
    for (let stream = 0; stream < STREAMS; stream++)
      void read(await ask(`/stream${query(tokens.slice(0, 10 + (stream % LISTS)))}`))
    await settle()
    deliver(tokens, clock.now())
    const turns: Uint8Array[][] = []
    for (let turn = 0; turn < 200 && turns.flat().length < STREAMS; turn++) {
      written = []
      await passTurn()
      if (written.length > 0) turns.push(written)
    }
    expect(turns.flat()).toHaveLength(STREAMS)
    for (const turn of turns) {
      expect(turn.length).toBeLessThanOrEqual(100)
      expect(turn.slice(1).reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(500_000)
    }
    // Ten streams have a list, and the end of a turn is in the middle of one at most.
    expect(new Set(turns.flat()).size).toBeLessThan(LISTS + turns.length)
  })

  test('99 lists that open and close ask nothing of the feed but the change of its watch', async () => {
    const { feed, calls } = manualFeed()
    const { listen } = setupStream({ perVisitor: { streams: 10_000 } }, { feed })
    await listen(query(TOKENS))
    await settle()
    const before = { ...calls }
    const streams = await Promise.all(
      Array.from({ length: 99 }, (_, list) => listen(query(TOKENS.slice(0, 1 + (list % 50))))),
    )
    for (const { stop } of streams) await stop()
    await settle()
    expect(calls).toEqual(before)
  })
})
