import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { collectGarbage } from '../support/garbage.ts'
import { settle } from '../support/settle.ts'
import { KEY, TOKENS } from './setup.ts'
import { manualFeed, query, setupStream } from './stream-setup.ts'

const SECOND = 1_000
const [ONE = '', TWO = '', THREE = ''] = TOKENS

test('an event holds the price and its age; the pace is that of the operator', async () => {
  const { clock, listen, feed } = setupStream({ everyMs: 10 * SECOND, heartbeatMs: 20 * SECOND })
  const price = await Promise.all([feed.price(ONE), clock.advance(10)]).then(([known]) => known)
  await clock.advance(3 * SECOND)
  const { response, prices, settings } = await listen(query([ONE]))
  await settle()
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  expect(settings()).toEqual({ everyMs: 10 * SECOND, heartbeatMs: 20 * SECOND })
  expect(prices).toEqual([{ ...price, ageMs: clock.now() - price.at, stale: false }])
})

describe('a stream', () => {
  test.each([
    ['', 400],
    ['?addresses=', 400],
    ['?addresses=nonsense', 400],
    [`?addresses=${ONE.replace('0x0', '0x0').replace(/[a-f]/, (digit) => digit.toUpperCase())}`, 400],
    [`?addresses=${ONE}&addresses=${TWO}`, 400],
    [`?addresses=${ONE}&limit=1`, 400],
    [`?addresses=${TOKENS[9]}`, 403],
    [`?addresses=${ONE.toLowerCase()}`, 200],
    [`?addresses=${ONE}&everyMs=1`, 400],
  ])('%s is answered with %i', async (search, status) => {
    const { listen, feed } = setupStream({ addresses: [ONE, TWO, THREE] })
    const { response } = await listen(search)
    expect(response.status).toBe(status)
    await settle()
    expect(feed.status().watches).toBe(status === 200 ? 1 : 0)
  })

  test('serves what it may, and names the rest, address by address', async () => {
    const { clock, listen, fake } = setupStream({ addresses: [ONE, TWO, THREE], maxAddresses: 2 })
    const wrong = ONE.toUpperCase()
      .replace('0X', '0x')
      .replace(/[A-F]/, (digit) => digit.toLowerCase())
    const foreign = TOKENS[9] ?? ''
    const { response, prices, refused } = await listen(`?addresses=${[ONE, wrong, 'x', foreign, TWO, THREE]}`)
    await clock.advance(SECOND)
    expect(response.status).toBe(200)
    expect(prices.map(({ address }) => address).sort()).toEqual([ONE, TWO].sort())
    expect(refused).toEqual([
      { address: wrong, code: 'invalid_address' },
      { address: 'x', code: 'invalid_address' },
      { address: foreign, code: 'not_allowed' },
      { address: THREE, code: 'too_many_addresses' },
    ])
    fake.expectCredits(100)
  })

  test('does not exist without a feed', async () => {
    const { listen } = setupStream({}, { feed: undefined, stream: undefined })
    expect((await listen(query([ONE]))).response.status).toBe(404)
  })

  test('is for pages of listed origins only, and for known visitors', async () => {
    const { listen } = setupStream({}, { visitor: (request) => request.headers.get('x-visitor') })
    const foreign = await listen(query([ONE]), { visitor: 'ada', headers: { origin: 'https://evil.example' } })
    expect(foreign.response.status).toBe(403)
    expect((await listen(query([ONE]))).response.status).toBe(403)
    expect((await listen(query([ONE]), { visitor: 'ada', method: 'HEAD' })).response.status).toBe(405)
  })

  test('is refused beyond the most of all visitors, until one of them has ended', async () => {
    const { listen, feed } = setupStream({ maxStreams: 2 })
    const open = await listen(query([ONE]), { visitor: 'ada' })
    await listen(query([TWO]), { visitor: 'bob' })
    const third = await listen(query([THREE]), { visitor: 'ada' })
    expect([third.response.status, third.response.headers.get('retry-after')]).toEqual([429, '10'])
    expect(feed.status()).toMatchObject({ watches: 1, addresses: 2 })
    expect((await listen(query([THREE]), { visitor: 'eve' })).response.status).toBe(429)
    await open.stop()
    expect((await listen(query([THREE]), { visitor: 'ada' })).response.status).toBe(200)
  })

  test('beyond the most of its visitor ends the oldest of them: who reloads a page behind a front that reports nobody is served', async () => {
    const { clock, listen, ask, proxy, feed } = setupStream({ perVisitor: { streams: 2 }, maxStreams: 3 })
    const other = await listen(query([TWO]), { visitor: 'other' })
    const left: Response[] = []
    for (let reload = 0; reload < 12; reload++) {
      const page = await listen(query([ONE]), { visitor: 'ada' })
      await clock.advance(3 * SECOND)
      expect([page.response.status, page.prices.length, page.hasEnded()]).toEqual([200, 1, false])
      expect(proxy.status().streams).toBeLessThanOrEqual(3)
      left.push(page.response)
    }
    expect([left.length, other.hasEnded(), feed.status().watches]).toEqual([12, false, 1])
    // One that asks for what it may not have ends nobody's.
    expect((await ask('/stream?addresses=x', { visitor: 'ada' })).status).toBe(400)
    expect(proxy.status().streams).toBe(3)
  })

  test.each([30_000, 60_000, 0, Number.NaN])(
    'with a heartbeat of %i ms is refused: fronts would cut it',
    (heartbeatMs) => {
      expect(() => setupStream({ heartbeatMs })).toThrow('heartbeatMs')
    },
  )

  test('sends a comment when there is no news, and none beside news', async () => {
    for (const [everyMs, heartbeats] of [
      [3_600 * SECOND, 4],
      [5 * SECOND, 0],
    ]) {
      const { clock, listen } = setupStream({ everyMs })
      const stream = await listen(query([ONE]))
      await clock.advance(61 * SECOND)
      expect(stream.heartbeats()).toBe(heartbeats)
    }
  })

  test.each([0, 1, 7, 8, 14])(
    'opened %i s after another, is not silent for longer than heartbeatMs',
    async (seconds) => {
      const { clock, listen } = setupStream({ everyMs: 3_600 * SECOND })
      await listen(query([ONE]))
      await clock.advance(seconds * SECOND)
      const { prices, heartbeats } = await listen(query([TWO]))
      await clock.advance(100)
      expect([prices.length, heartbeats()]).toEqual([1, 0])
      for (const count of [1, 2, 3]) {
        await clock.advance(15 * SECOND)
        expect(heartbeats()).toBe(count)
      }
    },
  )

  test('leaves nothing behind when its visitor goes, by closing the body or by an abort', async () => {
    const { clock, listen, feed, fake } = setupStream()
    const controller = new AbortController()
    const one = await listen(query([ONE]))
    const other = await listen(query([ONE, TWO]), { signal: controller.signal })
    await clock.advance(25 * SECOND)
    expect(clock.pending).toBeGreaterThan(0)
    await one.stop()
    controller.abort()
    await settle()
    expect(other.hasEnded()).toBe(true)
    expect(feed.status()).toMatchObject({ watches: 0, addresses: 0 })
    expect(clock.pending).toBe(0)
    const before = fake.charged()
    await clock.advance(600 * SECOND)
    expect(fake.charged()).toBe(before)
  })

  test('ends when the signal of its Request aborts, though the Request was garbage', async () => {
    const { clock, listen, proxy } = setupStream()
    const leaving = Array.from({ length: 5 }, () => new AbortController())
    for (const { signal } of leaving) await listen(query([ONE]), { signal })
    await clock.advance(SECOND)
    collectGarbage()
    for (const each of leaving) each.abort()
    await settle()
    expect(proxy.status().streams).toBe(0)
  })

  test('ends with the proxy, which leaves the feed open', async () => {
    const { listen, feed, proxy, clock } = setupStream()
    const { hasEnded } = await listen(query([ONE]))
    await proxy.close()
    await settle()
    expect(hasEnded()).toBe(true)
    expect(feed.status()).toMatchObject({ state: 'idle', watches: 0 })
    expect((await listen(query([ONE]))).response.status).toBe(503)
    expect(clock.pending).toBe(0)
  })

  test('ends with the feed', async () => {
    const { listen, feed, clock } = setupStream()
    const { hasEnded } = await listen(query([ONE]))
    await feed.close()
    await clock.advance(15 * SECOND)
    expect(hasEnded()).toBe(true)
    expect((await listen(query([ONE]))).response.status).toBe(503)
    expect(clock.pending).toBe(0)
  })
})

test('the key is in no event of a service that echoes it', async () => {
  const { clock, listen, fake } = setupStream()
  fake.fault({ transform: (body) => ({ ...(body as object), data: { usd: '1', [KEY]: { [KEY]: KEY } } }), times: 5 })
  const { prices } = await listen(query([ONE]))
  await clock.advance(SECOND)
  expect(prices).toHaveLength(1)
  expect(JSON.stringify(prices)).not.toContain(JSON.stringify(KEY).slice(1, -1))
})

test('a key that only the feed has is in no event either', async () => {
  const clock = createVirtualClock()
  const other = 'esk_of_the_feed_alone'
  const fake = createFakeService({ clock, keys: { [other]: 1_000_000 } })
  const client = createClient({ apiKey: other, fetch: fake.fetch, clock })
  const feed = createPriceFeed(client, { clock, budget: false })
  const { listen } = setupStream({}, { feed, clock })
  fake.fault({ transform: () => ({ data: { usd: '1', note: `1${other}` } }) })
  const { prices } = await listen(query([ONE]))
  await clock.advance(SECOND)
  expect(prices[0]).toMatchObject({ usd: '1', note: '1[redacted]' })
  await feed.close()
})

describe('a slow reader', () => {
  test('gets the newest price of each address only', async () => {
    const { clock, ask } = setupStream({ everyMs: 5 * SECOND })
    const response = await ask(`/stream${query([ONE, TWO])}`)
    await clock.advance(55 * SECOND)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const texts: string[] = []
    void (async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) texts.push(part.value)
    })()
    await settle()
    const events = texts
      .join('')
      .match(/^data: .*"address".*$/gm)
      ?.map((line) => JSON.parse(line.slice(6)))
    expect(events).toHaveLength(2)
    expect(events?.every(({ at }) => at > clock.now() - 6 * SECOND)).toBe(true)
    await reader?.cancel()
  })

  test('that takes nothing for four heartbeats has left, whatever the server reports', async () => {
    const { clock, ask, feed, listen } = setupStream({ everyMs: 5 * SECOND })
    const path = `/stream${query([ONE])}`
    const abandoned = (await ask(path)).body?.getReader()
    const slow = (await ask(path)).body?.getReader()
    const reading = await listen(query([TWO]))
    await abandoned?.read()
    for (let seconds = 0; seconds < 300; seconds += 50) {
      await clock.advance(50 * SECOND)
      expect((await slow?.read())?.done).toBe(false)
    }
    expect((await abandoned?.read())?.done).toBe(true)
    expect(reading.hasEnded()).toBe(false)
    await slow?.cancel()
    expect(feed.status()).toMatchObject({ watches: 1, addresses: 1 })
    await reading.stop()
    expect(clock.pending).toBe(0)
  })
})

test('a page that reconnects gets all that is known at once', async () => {
  const { clock, listen } = setupStream({ everyMs: 20 * SECOND })
  const other = await listen(query([ONE, TWO]), { visitor: 'other' })
  const first = await listen(query([ONE, TWO]))
  await clock.advance(SECOND)
  await first.stop()
  await clock.advance(20 * SECOND)
  const again = await listen(query([ONE, TWO]))
  await settle()
  expect(again.prices.map(({ at }) => at)).toEqual(other.prices.slice(-2).map(({ at }) => at))
})

describe('the events of a source', () => {
  test('have the age of the moment at which they are sent', async () => {
    const { feed, deliver } = manualFeed()
    const clock = createVirtualClock()
    const { listen } = setupStream({ everyMs: 10 * SECOND }, { feed, clock })
    await listen(query([ONE]))
    deliver([ONE], clock.now())
    clock.stepWallClock(-3_600_000)
    // Two seconds after the pace, as a page has it.
    for (const [seconds, stale] of [
      [12, false],
      [1, true],
    ] as const) {
      await clock.advance(seconds * SECOND)
      const late = await listen(query([ONE]))
      await settle()
      expect(late.prices).toMatchObject([{ address: ONE, ageMs: (stale ? 13 : 12) * SECOND, stale }])
    }
  })
})
