import { type Client, type ClientOptions, createClient, type EtnMarketError } from 'etn-market'
import {
  createPriceFeed,
  type FeedEvent,
  type FeedOptions,
  type FeedPrice,
  type PriceFeed,
  type Watch,
} from 'etn-market/feed'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { BeforeRequestState } from '../../src/client/options.ts'
// The feed loads it lazily; loaded here so that it takes no real time.
import '../../src/feed/stream/page-stream.ts'
import { createEventParser } from '../../src/feed/stream/stream-events.ts'
import { BASE, TOKENS } from '../proxy/setup.ts'
import { setupStream } from '../proxy/stream-setup.ts'
import { onCaseFinished, testProperty } from '../support/property.ts'
import { settle } from '../support/settle.ts'

const SECOND = 1_000
const MINUTE = 60_000
const [ONE = '', TWO = '', THREE = ''] = TOKENS
const UNPRICED = `0x${'0'.repeat(39)}1`

type Answer = (request: Request) => Promise<Response | undefined> | Response | undefined

/** A page with a feed on the proxy. `answer` may reply in place of the proxy, or reject. */
function setupPage(
  feedOptions: FeedOptions = {},
  server: Parameters<typeof setupStream>[1] = {},
  answer: Answer = () => undefined,
  clientOptions: ClientOptions = {},
  paceMs = 10 * SECOND,
) {
  const made = setupStream({ everyMs: paceMs, maxAddresses: 400 }, server)
  const streams: Request[] = []
  const bought: string[] = []
  const client: Client = createClient({
    baseUrl: BASE,
    clock: made.clock,
    fetch: async (url, init) => {
      const request = new Request(url, init)
      const { pathname } = new URL(request.url)
      if (pathname.endsWith('/stream')) streams.push(request)
      else bought.push(pathname)
      const response = (await answer(request)) ?? (await made.proxy(request))
      init.signal.throwIfAborted()
      return response
    },
    ...clientOptions,
  })
  const page: PriceFeed = createPriceFeed(client, { clock: made.clock, stream: true, ...feedOptions })
  const close = async () => {
    await client.close()
    await page.close()
  }
  onCaseFinished(close)
  const prices: FeedPrice[] = []
  const watch = (addresses: string | readonly string[], everyMs = 10 * SECOND) =>
    page.watch(addresses, { everyMs, onPrice: (price) => void prices.push(price) })
  return { ...made, client, page, streams, bought, prices, watch, server: made.feed, close }
}

const isStream = (request: Request) => new URL(request.url).pathname.endsWith('/stream')
/** An answer that is an event stream. */
const eventStream = (body: BodyInit) => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
const refusal = (status: number) => Response.json({ error: { code: 'x' } }, { status })

test('what the stream brings needs nothing of a budget, and stretches no interval', async () => {
  const stretched: unknown[] = []
  const onEvent = (event: FeedEvent) => event.type === 'feed.stretched' && stretched.push(event)
  const { clock, watch, prices, page } = setupPage({ budget: { creditsPerDay: 100 }, onEvent })
  watch([ONE, TWO, THREE])
  await clock.advance(60 * SECOND)
  expect(prices.length).toBeGreaterThanOrEqual(3 * 6)
  expect(stretched).toEqual([])
  expect(page.status()).toMatchObject({ stretch: 1, spent: 0 })
})

test('the prices of a page come from the stream and cost the page nothing, those of tokens without a price too', async () => {
  const { clock, fake, client, server, watch, prices, bought, page } = setupPage()
  watch([ONE, TWO, THREE.toLowerCase(), UNPRICED])
  await clock.advance(60 * SECOND)
  expect(bought).toEqual([])
  expect(client.credits.charged).toBe(0)
  expect(fake.charged()).toBe(server.status().spent)
  expect(prices.length).toBeGreaterThanOrEqual(4 * 6)
  expect(prices.map(({ stale }) => stale)).not.toContain(true)
  const first = new Map(prices.slice(0, 4).map((price) => [price.address, price]))
  expect([...first.keys()].sort()).toEqual([ONE, TWO, THREE.toLowerCase(), UNPRICED].sort())
  expect(first.get(UNPRICED)).toMatchObject({ usd: null, etn: null })
  const direct = await server.price(ONE)
  expect(page.peek(ONE)).toMatchObject({ usd: direct.usd, etn: direct.etn, at: direct.at })
  const known = await page.price(TWO)
  expect(known.usd).toBe(prices.findLast(({ address }) => address === TWO)?.usd)
  expect(bought).toEqual([])
})

describe('ages are counted by the pace of the stream', () => {
  const setupPaced = () => setupPage({}, {}, undefined, {}, MINUTE)

  test('which a watch that asks for a faster one is told: its prices are not stale before the next one is due', async () => {
    const { clock, watch, page, prices, bought, client } = setupPaced()
    watch(ONE, 10 * SECOND)
    const iterator = page.watch(ONE, { everyMs: 10 * SECOND })[Symbol.asyncIterator]()
    const first = await Promise.all([iterator.next(), clock.advance(SECOND)])
    expect(first[0].value?.stale).toBe(false)
    for (let second = 0; second < 130; second++) {
      await clock.advance(SECOND)
      expect(page.peek(ONE)?.stale).toBe(false)
    }
    // It has waited to be read for longer than ten seconds.
    await clock.advance(30 * SECOND)
    expect((await iterator.next()).value?.stale).toBe(false)
    await iterator.return?.()
    expect(prices.map(({ stale }) => stale)).not.toContain(true)
    expect(prices.length).toBeGreaterThanOrEqual(3)
    expect(page.status().stream).toMatchObject({ state: 'connected', everyMs: MINUTE })
    expect(bought).toEqual([])
    expect(client.credits.charged).toBe(0)
  })

  test('and a known price is given to a new watch at once, however old the pace lets it be', async () => {
    const { clock, watch, prices } = setupPaced()
    watch(ONE, MINUTE)
    await clock.advance(40 * SECOND)
    prices.length = 0
    watch(ONE, 10 * SECOND)
    await settle()
    expect(prices).toMatchObject([{ address: ONE, stale: false }])
  })

  test('a price is stale when it is overdue, once, and the watch of an hour is told why none comes', async () => {
    const { clock, page, watch, fake, prices } = setupPaced()
    const errors: string[] = []
    const hourly: FeedPrice[] = []
    clock.randomValue = 0.5
    watch(ONE, 10 * SECOND)
    page.watch(ONE, {
      everyMs: 60 * MINUTE,
      onPrice: (price) => void hourly.push(price),
      onError: (error) => void errors.push((error as EtnMarketError).code),
    })
    await clock.advance(SECOND)
    fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
    await clock.advance(55 * SECOND)
    expect([page.peek(ONE)?.stale, errors]).toEqual([false, []])
    await clock.advance(MINUTE)
    expect(page.peek(ONE)?.stale).toBe(true)
    expect(prices.map(({ stale }) => stale)).toEqual([false, true])
    expect(page.status().stream).toMatchObject({ state: 'stale', code: 'upstream_down' })
    expect(errors).toEqual(['upstream_down'])
    expect(hourly.map(({ stale }) => stale)).toEqual([false])
  })

  test('a failure that lasts is told to a watch that begins later', async () => {
    const { clock, page, watch, fake } = setupPaced()
    watch(ONE)
    fake.fault({ status: 402, times: Number.POSITIVE_INFINITY })
    await clock.advance(10 * SECOND)
    const errors: string[] = []
    page.watch(ONE, {
      everyMs: MINUTE,
      onPrice() {},
      onError: (error) => void errors.push((error as EtnMarketError).code),
    })
    await clock.advance(SECOND)
    expect(errors).toEqual(['out_of_credits'])
  })

  test('what the stream brings is no cost of the feed; what it does not bring is', async () => {
    const { clock, page, watch, bought, streams } = setupPaced()
    const addresses = Array.from({ length: 151 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
    watch(addresses.slice(1), MINUTE)
    await clock.advance(SECOND)
    expect([page.status().creditsPerDay, page.explain().calls]).toEqual([0, []])
    // One stream names 150 addresses.
    expect(streams).toHaveLength(1)
    expect(streams[0]?.url.length).toBeLessThan(7_000)
    watch(addresses[0] ?? '', MINUTE)
    await clock.advance(SECOND)
    expect(page.status()).toMatchObject({ addresses: 151, creditsPerDay: 50 * 24 * 60 })
    // Those keep their places that had them: the one beyond is bought, now and after a minute.
    expect(bought).toHaveLength(1)
    await clock.advance(MINUTE)
    expect(bought).toHaveLength(2)
    expect(page.status().stream?.refused).toEqual([{ address: addresses[0], code: 'too_many_addresses' }])
    expect(streams).toHaveLength(1)
  })
})

describe('the request of a stream', () => {
  test('has the headers and hooks of the client, and no key', async () => {
    const beforeRequest = [
      ({ request, operation, callId }: BeforeRequestState) =>
        request.headers.set('x-session', `${operation} ${callId}`),
    ]
    const { clock, watch, streams } = setupPage({}, {}, undefined, {
      headers: { 'x-visitor': 'ada' },
      hooks: { beforeRequest },
      apiKey: 'esk_of_the_page',
    })
    watch(ONE)
    await clock.advance(SECOND)
    const headers = Object.fromEntries(streams[0]?.headers ?? [])
    expect(headers).toMatchObject({ accept: 'text/event-stream', 'x-visitor': 'ada', 'x-session': 'stream stream-1' })
    expect(headers.authorization).toBeUndefined()
  })

  test('names all addresses, whatever their intervals are; a change of a watch opens another', async () => {
    const { clock, watch, streams, server, bought } = setupPage()
    const first = watch([TWO, ONE])
    watch(THREE, 20 * SECOND)
    await clock.advance(SECOND)
    const asked = () => streams.map(({ url }) => new URL(url).search)
    expect(asked()).toEqual([`?addresses=${[ONE, TWO, THREE].sort()}`])
    first.update({ addresses: [ONE] })
    await clock.advance(SECOND)
    expect(asked().slice(1)).toEqual([`?addresses=${[ONE, THREE].sort()}`])
    expect(server.status()).toMatchObject({ watches: 1, addresses: 2 })
    first.stop()
    await clock.advance(SECOND)
    expect(server.status()).toMatchObject({ watches: 1, addresses: 1 })
    expect(bought).toEqual([])
  })
})

describe('without a stream', () => {
  test.each([
    ['404', () => refusal(404), 'refused'],
    ['403', () => refusal(403), 'refused'],
    ['the page of a host', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'reconnecting'],
  ])('%s: prices are bought, and only what may end by itself is asked for again', async (_, reply, state) => {
    const { clock, watch, page, streams, bought, prices } = setupPage({}, {}, (request) =>
      isStream(request) ? reply() : undefined,
    )
    watch([ONE, TWO, THREE])
    await clock.advance(3 * MINUTE)
    expect(page.status().stream).toMatchObject({ state })
    expect(streams.length === 1).toBe(state === 'refused')
    expect(bought.length).toBeGreaterThanOrEqual(18)
    // The proxy keeps an answer for 15 seconds, and says for how long it has.
    for (const { stale, ageMs } of prices) expect([ageMs, stale]).toEqual([ageMs, ageMs > 10 * SECOND])
    expect(Math.max(...prices.map(({ ageMs }) => ageMs))).toBeLessThan(15 * SECOND)
  })

  test('that answers, prices are bought after five seconds', async () => {
    const { clock, watch, bought, prices } = setupPage({}, {}, (request) =>
      isStream(request) ? new Promise<Response>(() => {}) : undefined,
    )
    watch(ONE)
    await clock.advance(4_900)
    expect(bought).toEqual([])
    await clock.advance(200)
    expect(bought).toHaveLength(1)
    expect(prices).toHaveLength(1)
  })
})

/** A page whose streams a test can break all at once; new ones are refused while `isDown`. */
function setupBreakable() {
  const open = new Set<() => void>()
  const state = {
    isDown: false,
    breakAll() {
      for (const breakOne of open) breakOne()
      open.clear()
    },
  }
  const made: ReturnType<typeof setupPage> = setupPage({}, {}, async (request) => {
    if (!isStream(request)) return undefined
    if (state.isDown) throw new TypeError('fetch failed')
    const response = await made.proxy(request)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const copy = new ReadableStream<Uint8Array>({
      start(controller) {
        open.add(() => {
          controller.error(new TypeError('network error'))
          void reader.cancel()
        })
      },
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => reader.cancel(),
    })
    return new Response(copy, response)
  })
  return { ...made, state }
}

describe('a stream that breaks', () => {
  test('is opened again, and nothing is bought meanwhile', async () => {
    const { clock, watch, streams, bought, prices, state } = setupBreakable()
    clock.randomValue = 0.5
    watch([ONE, TWO])
    await clock.advance(11 * SECOND)
    const before = prices.length
    state.breakAll()
    await clock.advance(3 * SECOND)
    expect(streams).toHaveLength(2)
    // The new stream sends everything again. What has not changed is not delivered a second time.
    expect(prices.length).toBe(before)
    await clock.advance(20 * SECOND)
    expect(prices.length).toBe(before + 4)
    expect(bought).toEqual([])
  })

  test('for long is replaced by buying, until it is back', async () => {
    const { clock, watch, page, bought, state, prices } = setupBreakable()
    clock.randomValue = 0.5
    watch([ONE, TWO, THREE])
    await clock.advance(11 * SECOND)
    state.isDown = true
    state.breakAll()
    await settle()
    expect([page.status().stream?.state, page.peek(ONE)?.stale]).toEqual(['reconnecting', false])
    await clock.advance(2 * MINUTE)
    expect(bought.length).toBeGreaterThanOrEqual(10)
    state.isDown = false
    await clock.advance(MINUTE)
    bought.length = 0
    prices.length = 0
    await clock.advance(2 * MINUTE)
    expect(bought).toEqual([])
    expect(prices.length).toBeGreaterThanOrEqual(3 * 11)
  })

  test('without a word is noticed after two and a half heartbeats', async () => {
    const { clock, watch, streams } = setupPage({}, {}, (request) =>
      isStream(request) ? eventStream(new ReadableStream()) : undefined,
    )
    watch(ONE)
    await clock.advance(37 * SECOND)
    expect(streams).toHaveLength(1)
    await clock.advance(2 * SECOND)
    expect(streams).toHaveLength(2)
  })
})

testProperty(
  'through breaks and changes of watches, prices stay fresh, and nothing is bought while streams are up',
  () => {
    const step = fc.oneof(
      fc.record({ watch: fc.nat(4), everyMs: fc.constantFrom(10_000, 20_000, 30_000) }),
      fc.record({ stop: fc.nat(9) }),
      fc.record({ update: fc.nat(9), to: fc.nat(4) }),
      fc.record({ breaks: fc.boolean() }),
      fc.record({ ask: fc.nat(4) }),
      fc.record({ waitMs: fc.nat(40_000) }),
    )
    const groups = [[ONE], [TWO], [ONE, TWO], [THREE, ONE], [ONE, TWO, THREE]]
    return fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 16 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      async (steps, chance) => {
        const { clock, page, server, bought, state, close } = setupBreakable()
        clock.randomValue = chance
        const watches: {
          watch: Watch
          latest: Map<string, FeedPrice>
          addresses: readonly string[]
          everyMs: number
        }[] = []
        for (const each of steps) {
          if ('watch' in each) {
            const latest = new Map<string, FeedPrice>()
            const addresses = groups[each.watch] ?? []
            const onPrice = (price: FeedPrice) => void latest.set(price.address, price)
            const watch = page.watch(addresses, { everyMs: each.everyMs, onPrice })
            watches.push({ watch, latest, addresses, everyMs: each.everyMs })
          } else if ('stop' in each) watches.splice(each.stop, 1)[0]?.watch.stop()
          else if ('update' in each) {
            const updated = watches[each.update]
            if (updated) updated.addresses = groups[each.to] ?? []
            updated?.watch.update({ addresses: updated.addresses })
          } else if ('breaks' in each) {
            state.isDown = each.breaks
            state.breakAll()
          } else if ('ask' in each) void page.price(TOKENS[each.ask] ?? '').catch(() => {})
          else await clock.advance(each.waitMs)
        }
        state.isDown = false
        await clock.advance(3 * MINUTE)
        bought.length = 0
        await clock.advance(2 * MINUTE)
        expect(bought).toEqual([])
        for (const { latest, addresses, everyMs } of watches)
          for (const address of addresses) {
            const price = latest.get(address)
            expect(price?.stale).toBe(false)
            expect(clock.now() - (price?.at ?? 0)).toBeLessThanOrEqual(everyMs + SECOND)
          }
        await page.close()
        await settle()
        expect(server.status().watches).toBe(0)
        expect(clock.pending).toBe(0)
        await close()
      },
    )
  },
  { cases: 4 },
)

test('events that are no prices are ignored', async () => {
  const price = { address: ONE, usd: '1', etn: '2', ageMs: 5, at: 7, stale: false, extra: [1] }
  const odd = [5, 'NaN', '', '-1'].map((usd) => ({ ...price, usd }))
  const events = ['{', '[]', '{}', { ...price, ageMs: -1 }, ...odd, { ...price, address: TWO }, price]
  const text = events.map((data) => `event: price\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  const { clock, watch, prices } = setupPage({}, {}, (request) =>
    isStream(request) ? eventStream(`event: other\ndata: ${JSON.stringify(price)}\n\n${text.join('')}`) : undefined,
  )
  watch(ONE, MINUTE)
  await clock.advance(100)
  expect(prices).toEqual([{ address: ONE, usd: '1', etn: '2', extra: [1], at: prices[0]?.at, ageMs: 5, stale: false }])
})

test('a price request that needs a newer price than the stream has is bought', async () => {
  const { clock, watch, page, bought } = setupPage()
  watch(ONE, 10 * MINUTE)
  await clock.advance(MINUTE)
  const requested = page.price(ONE, { maxAgeMs: SECOND })
  await clock.advance(SECOND)
  expect((await requested).ageMs).toBeLessThan(SECOND)
  expect(bought).toHaveLength(1)
})

test('a page knows whether it is connected, that the service is down, then that the key has no credits, and that it is back', async () => {
  const events: string[] = []
  const onEvent: FeedOptions['onEvent'] = (event) => {
    if (event.type === 'feed.stream') events.push(event.state)
  }
  const { clock, page, fake, bought, server } = setupPage({ onEvent })
  const errors: string[] = []
  const watched: FeedPrice[] = []
  page.watch([ONE, TWO], {
    everyMs: 10 * SECOND,
    onPrice: (price) => void watched.push(price),
    onError: (error) => void errors.push((error as EtnMarketError).code),
  })
  const always = Number.POSITIVE_INFINITY
  const nothing = { until: undefined, status: undefined, code: undefined, refused: [] }
  expect(page.status().stream).toEqual({ state: 'connecting', everyMs: undefined, ...nothing })
  expect(server.status().stream).toBeUndefined()
  const down = fake.fault({ status: 500, times: always })
  await clock.advance(2 * SECOND)
  expect(page.status().stream).toMatchObject({ state: 'stale', code: 'upstream_down' })
  expect(errors).toEqual(['upstream_down'])
  down.remove()
  const empty = fake.fault({ status: 402, times: always })
  await clock.advance(MINUTE)
  expect(page.status().stream?.state).toBe('out_of_credits')
  expect(page.status().stream?.until).toBeGreaterThan(clock.now())
  expect(errors).toEqual(['upstream_down', 'out_of_credits'])
  expect(watched).toEqual([])
  empty.remove()
  await clock.advance(2 * MINUTE)
  expect(page.status().stream).toEqual({ state: 'connected', everyMs: 10 * SECOND, ...nothing })
  expect(events.at(-1)).toBe('connected')
  expect(watched.at(-1)?.stale).toBe(false)
  expect(bought).toEqual([])
  await page.close()
  expect(page.status().stream?.state).toBe('connecting')
})

test('a hidden page closes its stream after ten seconds and buys nothing, and opens it when it is visible again', async () => {
  const page = Object.assign(new EventTarget(), { hidden: false })
  vi.stubGlobal('document', page)
  onTestFinished(() => void vi.unstubAllGlobals())
  const { clock, watch, server, streams, bought } = setupPage()
  watch(ONE)
  await clock.advance(SECOND)
  const show = (isVisible: boolean) => {
    page.hidden = !isVisible
    page.dispatchEvent(new Event('visibilitychange'))
  }
  show(false)
  await clock.advance(9 * SECOND)
  expect(server.status().watches).toBe(1)
  await clock.advance(2 * SECOND)
  expect(server.status().watches).toBe(0)
  await clock.advance(MINUTE)
  show(true)
  await clock.advance(SECOND)
  expect([server.status().watches, streams.length, bought]).toEqual([1, 2, []])
})

test('a client that was not made by createClient cannot open streams', () => {
  const { client, clock } = setupPage()
  const { token, prices, trade, balances } = client
  expect(() => createPriceFeed({ token, prices, trade, balances }, { clock, stream: true })).toThrow('Invalid stream')
})

test('a stream that ends at once is not opened again and again', async () => {
  const { clock, watch, streams } = setupPage({}, {}, (request) =>
    isStream(request) ? eventStream(':\n\n') : undefined,
  )
  watch(ONE)
  await clock.advance(10 * MINUTE)
  expect(streams.length).toBeGreaterThan(10)
  expect(streams.length).toBeLessThan(100)
})

describe('the parser of events', () => {
  const parse = (...parts: string[]) => {
    const read = createEventParser()
    return parts.flatMap((part) => read(part))
  }

  test('reads lines that end in any way, in any parts', () => {
    const text =
      'id: 7\r\nevent: price\r\ndata: one\r\ndata:two\r\n\r\n: comment\n\ndata\n\nevent: empty\n\nid: 8\rdata: x: y\r\r'
    const expected = [
      { type: 'price', data: 'one\ntwo' },
      { type: 'message', data: '' },
      { type: 'message', data: 'x: y' },
    ]
    expect(parse(text, '\n')).toEqual(expected)
    expect(parse(...text, '\n')).toEqual(expected)
  })

  test('reads events without an end, each of which has one', () => {
    const read = createEventParser()
    const event = `data: ${'x'.repeat(400_000)}\ndata: ${'x'.repeat(400_000)}\n\n`
    for (let number = 0; number < 5; number++) expect(read(event)).toHaveLength(1)
  })
})
