import type { EtnMarketError } from 'etn-market'
import { createPriceStream, type PriceStreamOptions } from 'etn-market/stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { BASE, TOKENS } from '../proxy/setup.ts'
import { createVirtualClock, START } from '../support/clock.ts'
import { settle } from '../support/settle.ts'
import { MINUTE, SECOND, setupPages } from './setup.ts'

const DAY = 86_400_000
const [ONE = '', TWO = '', THREE = ''] = TOKENS

describe('a price stream', () => {
  test('keeps the prices of a page up to date, in every spelling, from one stream', async () => {
    const { clock, openPage, fake, feed } = setupPages()
    const page = openPage()
    page.show([ONE, TWO])
    page.show(ONE.toLowerCase())
    await clock.advance(MINUTE)
    // As they were written.
    expect(page.opened).toEqual([`?addresses=${[ONE, TWO, ONE.toLowerCase()].sort()}`])
    expect(page.prices.length).toBeGreaterThanOrEqual(3 * 6)
    expect(new Set(page.prices.map(({ address }) => address))).toEqual(new Set([ONE, TWO, ONE.toLowerCase()]))
    expect(page.prices.map(({ stale }) => stale)).not.toContain(true)
    const direct = await feed.price(ONE)
    expect(page.stream.peek(ONE)).toMatchObject({ address: ONE, usd: direct.usd, etn: direct.etn, at: direct.at })
    expect(page.stream.peek(ONE)).toBe(page.stream.peek(ONE))
    expect(page.stream.peek(THREE)).toBeUndefined()
    expect(page.stream.status()).toMatchObject({
      state: 'running',
      watches: 2,
      addresses: 2,
      stream: { state: 'connected', everyMs: 10 * SECOND, status: undefined, code: undefined, refused: [] },
    })
    expect(fake.charged()).toBe(feed.status().spent)
  })

  test('ends with its last watch, leaves no timer, and a known price is delivered to the next one at once', async () => {
    const { clock, openPage, proxy, feed } = setupPages()
    const page = openPage()
    const watch = page.show(ONE)
    await clock.advance(SECOND)
    expect(proxy.status().streams).toBe(1)
    watch.stop()
    watch.stop()
    await clock.advance(SECOND)
    expect(proxy.status().streams).toBe(0)
    expect(page.stream.status()).toMatchObject({ state: 'idle', watches: 0, addresses: 0 })
    const before = page.prices.length
    page.show(ONE)
    await settle()
    expect(page.prices.length).toBe(before + 1)
    await clock.advance(SECOND)
    expect(page.stream.status().stream.state).toBe('connected')
    page.stream.close()
    await clock.advance(SECOND)
    expect(proxy.status().streams).toBe(0)
    expect(page.stream.status()).toMatchObject({ state: 'closed', stream: { state: 'connecting' } })
    expect(() => page.show(ONE)).toThrow(expect.objectContaining({ code: 'stream_closed' }))
    await proxy.close()
    await feed.close()
    expect(clock.pending).toBe(0)
  })

  test('marks its prices as stale by their own interval, whatever the stream does', async () => {
    let isDown = false
    const { clock, openPage, proxy } = setupPages({}, () =>
      isDown ? Promise.reject(new TypeError('fetch failed')) : undefined,
    )
    const page = openPage()
    const changed = vi.fn()
    page.stream.subscribe(changed)
    page.show(ONE)
    page.show(TWO, 40 * SECOND)
    await clock.advance(SECOND)
    const [first] = page.prices
    isDown = true
    await proxy.close()
    changed.mockClear()
    await clock.advance(13 * SECOND)
    expect(page.stream.peek(ONE)).toMatchObject({ stale: true, at: first?.at })
    expect(page.stream.peek(TWO)).toMatchObject({ stale: false })
    expect(changed).toHaveBeenCalled()
    expect(page.prices.at(-1)).toMatchObject({ address: ONE, stale: true })
    expect(page.errors).toEqual(['connection_failed', 'connection_failed'])
    expect(page.stream.status().stream.state).toBe('reconnecting')
    await clock.advance(30 * SECOND)
    expect(page.stream.peek(TWO)).toMatchObject({ stale: true })
    expect(page.prices.filter(({ stale }) => stale)).toHaveLength(2)
  })

  test.each([
    ['one line', 'data: x'],
    ['lines of data', 'data: x\n'],
    ['lines without a name', 'data\r\n'],
  ])(
    'leaves an event that has no end, of %s, reports that there is no connection, and connects again',
    async (_, part) => {
      const text = new TextEncoder().encode(part.repeat(10_000))
      const MAX_SENT = 50_000_000
      let isBroken = true
      let sent = 0
      const endless = () =>
        new ReadableStream<Uint8Array>({
          pull(controller) {
            sent += text.length
            controller.enqueue(text)
            if (sent > MAX_SENT) controller.close()
          },
        })
      const { clock, openPage } = setupPages({}, () =>
        isBroken ? new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }) : undefined,
      )
      const page = openPage()
      page.show(ONE)
      clock.randomValue = 0.9
      await clock.advance(10 * SECOND)
      const attempts = page.opened.length
      expect(attempts).toBeGreaterThan(1)
      expect(sent).toBeLessThan(attempts * 1_300_000)
      expect(page.errors).toEqual(['connection_failed'])
      isBroken = false
      await clock.advance(2 * MINUTE)
      expect(page.prices.length).toBeGreaterThan(0)
    },
  )
})

describe('an address that the proxy refuses', () => {
  test('is named, and ends no other price; two watches of one page have one stream', async () => {
    const { clock, openPage } = setupPages({}, undefined, { addresses: [ONE, TWO] })
    const page = openPage()
    const details: unknown[] = []
    page.show([ONE, TWO])
    page.stream.watch([THREE, ONE], {
      onError: (error) => {
        const { code, status, params } = error as EtnMarketError
        details.push({ code, status, params })
      },
    })
    await clock.advance(MINUTE)
    expect(page.opened).toHaveLength(1)
    expect(page.errors).toEqual([])
    expect(details).toEqual([{ code: 'not_allowed', status: 403, params: { address: THREE } }])
    expect(page.prices.length).toBeGreaterThanOrEqual(2 * 6)
    expect(page.stream.status().stream).toMatchObject({
      state: 'connected',
      refused: [{ address: THREE, code: 'not_allowed' }],
    })
  })

  test('because of its checksum gets no price of another spelling', async () => {
    const { clock, openPage } = setupPages()
    const page = openPage()
    const wrong = ONE.toUpperCase()
      .replace('0X', '0x')
      .replace(/[A-F]/, (digit) => digit.toLowerCase())
    page.show([ONE, wrong])
    await clock.advance(SECOND)
    expect(page.opened).toEqual([`?addresses=${[ONE, wrong].sort()}`])
    expect(page.prices.map(({ address }) => address)).toEqual([ONE])
    expect(page.errors).toEqual(['invalid_address'])
  })

  test('for want of a place is asked for again, and served when there is one', async () => {
    const { clock, openPage, listen } = setupPages({}, undefined, { addresses: TOKENS, maxAddresses: 2 })
    const other = await listen(`?addresses=${THREE}`, { visitor: 'other' })
    const page = openPage()
    page.show([ONE, TWO])
    await clock.advance(SECOND)
    expect(page.errors).toEqual(['too_many_addresses'])
    expect(page.prices).toHaveLength(1)
    await other.stop()
    await clock.advance(2 * MINUTE)
    expect(new Set(page.prices.map(({ address }) => address))).toEqual(new Set([ONE, TWO]))
    expect(page.stream.status().stream.refused).toEqual([])
  })
})

describe('the addresses of a page', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`)

  test('beyond 150 are named one by one, keep nobody from a place, and have one as soon as it is free', async () => {
    const { clock, openPage } = setupPages({}, undefined, { maxAddresses: 400 })
    const page = openPage()
    const details: unknown[] = []
    const first = page.show(many(100))
    page.stream.watch(many(153).slice(100), {
      onPrice: (price) => void page.prices.push(price),
      onError: (error) => {
        const { code, status, params } = error as EtnMarketError
        details.push({ code, status, params })
      },
    })
    await clock.advance(2 * SECOND)
    const beyond = many(153).slice(150)
    expect(details).toEqual(beyond.map((address) => ({ code: 'too_many_addresses', status: 429, params: { address } })))
    expect(page.stream.status().stream.refused.map(({ address }) => address)).toEqual(beyond)
    expect(new Set(page.prices.map(({ address }) => address))).toEqual(new Set(many(150)))
    first.stop()
    await clock.advance(2 * SECOND)
    expect(page.stream.status().stream.refused).toEqual([])
    expect(new Set(page.prices.map(({ address }) => address))).toEqual(new Set(many(153)))
  })

  test('change with every frame of a list that is scrolled: one stream a second, no error twice, no price twice', async () => {
    const { clock, openPage } = setupPages({}, undefined, { addresses: TOKENS.slice(0, 40) })
    const page = openPage()
    const foreign = TOKENS[45] ?? ''
    page.show([foreign, ONE])
    await clock.advance(20)
    expect(page.opened).toHaveLength(1)
    const states = new Set<string>()
    page.stream.subscribe(() => states.add(page.stream.status().stream.state))
    let row = page.show(TWO)
    for (let frame = 0; frame < 600; frame++) {
      await clock.advance(16)
      row.stop()
      row = page.show(TOKENS[1 + (frame % 39)] ?? '')
    }
    expect(page.opened.length).toBeGreaterThan(5)
    expect(page.opened.length).toBeLessThanOrEqual(11)
    await clock.advance(SECOND)
    expect(page.errors).toEqual(['not_allowed'])
    expect([...states]).toEqual(['connected'])
    const delivered = page.prices.filter(({ address, stale }) => address === ONE && !stale).map(({ at }) => at)
    expect(delivered).toEqual([...new Set(delivered)])
    expect(delivered.length).toBeLessThanOrEqual(2)
  })

  test('change while the page waits: it asks when the wait is over, and then for those that it shows', async () => {
    let isRefused = true
    const { clock, openPage } = setupPages({}, () =>
      isRefused
        ? Response.json({ error: { code: 'too_many_requests' } }, { status: 429, headers: { 'retry-after': '20' } })
        : undefined,
    )
    const page = openPage()
    page.show(ONE)
    for (let second = 0; second < 18; second++) {
      await clock.advance(SECOND)
      page.show(TOKENS[second] ?? '').stop()
    }
    page.show(TWO)
    expect(page.opened).toHaveLength(1)
    isRefused = false
    await clock.advance(5 * SECOND)
    expect(page.opened.slice(1)).toEqual([`?addresses=${[ONE, TWO].sort()}`])
    expect(page.errors).toEqual(['too_many_requests', 'too_many_requests'])
  })
})

test('a visitor with too many pages: the oldest stream ends, and its page asks again after a minute', async () => {
  const { clock, openPage } = setupPages({}, undefined, { perVisitor: { streams: 2 } })
  const pages = [openPage(), openPage(), openPage()]
  for (const page of pages) {
    page.show(ONE)
    await clock.advance(SECOND)
  }
  const states = () => pages.map(({ stream }) => stream.status().stream.state)
  expect(states()).toEqual(['reconnecting', 'connected', 'connected'])
  expect(pages[0]?.stream.status().stream).toMatchObject({ status: 429, code: 'too_many_streams' })
  await clock.advance(50 * SECOND)
  expect(pages.map(({ errors }) => errors)).toEqual([['too_many_streams'], [], []])
  expect(pages.map(({ opened }) => opened.length)).toEqual([1, 1, 1])
  await clock.advance(20 * SECOND)
  expect(states()).toEqual(['connected', 'reconnecting', 'connected'])
  // In ten minutes each of them waits its turn.
  await clock.advance(10 * MINUTE)
  for (const { opened } of pages) expect(opened.length).toBeLessThanOrEqual(8)
})

describe('a page that was frozen', () => {
  function setupFreezing() {
    const document = Object.assign(new EventTarget(), { hidden: false })
    vi.stubGlobal('document', document)
    onTestFinished(() => void vi.unstubAllGlobals())
    let isFrozen = false
    const made = setupPages()
    const page = made.openPage({
      whenHidden: 'keep',
      async fetch(url, { headers, signal }) {
        page.opened.push(url)
        const { body, ...init } = await made.proxy(new Request(url, { headers, signal }))
        // What was open when the page froze never gives another byte.
        const isDead = () => isFrozen
        const open = body?.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform: (part, controller) => (isDead() ? undefined : controller.enqueue(part)),
          }),
        )
        isFrozen = false
        return new Response(open, { ...init, headers: { 'content-type': 'text/event-stream' } })
      },
    })
    return {
      ...made,
      page,
      freeze(ms: number) {
        isFrozen = true
        made.clock.jump(ms)
      },
      resume: () => document.dispatchEvent(new Event('resume')),
    }
  }

  test.each([30 * SECOND, 5 * MINUTE])('for %i ms reads again within a second of waking', async (ms) => {
    const { clock, page, freeze } = setupFreezing()
    page.show(ONE)
    await clock.advance(12 * SECOND)
    const before = page.opened.length
    freeze(ms)
    page.prices.length = 0
    await clock.advance(SECOND)
    expect(page.opened).toHaveLength(before + 1)
    expect(page.prices.at(-1)).toMatchObject({ address: ONE, stale: false })
    await clock.advance(MINUTE)
    expect(page.opened).toHaveLength(before + 1)
  })

  test('for a few seconds does so when the browser says that it runs again', async () => {
    const { clock, page, freeze, resume } = setupFreezing()
    page.show(ONE)
    await clock.advance(12 * SECOND)
    freeze(3 * SECOND)
    resume()
    await clock.advance(SECOND)
    expect(page.opened).toHaveLength(2)
    page.stream.close()
    resume()
    await clock.advance(MINUTE)
    expect([page.opened.length, clock.pending > 100]).toEqual([2, false])
  })
})

test('a stream with slow heartbeats whose opening arrives in one chunk is not taken for lost', async () => {
  const text = 'event: settings\ndata: {"everyMs":600000,"heartbeatMs":60000}\n\n'
  const { clock, openPage } = setupPages({}, () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  const page = openPage()
  page.show(ONE)
  await clock.advance(140 * SECOND)
  expect(page.opened).toHaveLength(1)
  await clock.advance(30 * SECOND)
  expect(page.opened).toHaveLength(2)
})

describe('a stream that the proxy refuses', () => {
  const bodyOf = (code: string) => JSON.stringify({ error: { code, message: 'no' } })
  test.each([
    [403, 'no_visitor', bodyOf('no_visitor')],
    [400, 'invalid_request', bodyOf('invalid_request')],
    [404, 'not_found', bodyOf('not_found')],
  ])('with %i %s is not asked for again, until the addresses change', async (status, code, body) => {
    let isRefused = true
    const { clock, openPage } = setupPages({}, () => (isRefused ? new Response(body, { status }) : undefined))
    const page = openPage()
    page.show(ONE)
    await clock.advance(10 * MINUTE)
    expect(page.opened).toHaveLength(1)
    expect(page.errors).toEqual([code])
    expect(page.stream.status().stream).toMatchObject({ state: 'refused', status, code })
    isRefused = false
    page.show(TWO)
    await clock.advance(SECOND)
    expect(page.opened).toHaveLength(2)
    expect(page.prices).toHaveLength(2)
    expect(page.stream.status().stream).toMatchObject({ state: 'connected', status: undefined, code: undefined })
  })

  test.each([200, 403, 404, 502])(
    'by the page of a front, with status %i, is back when the front has gone, without another change',
    async (status) => {
      let isDeploying = true
      const { clock, openPage } = setupPages({}, () =>
        isDeploying ? new Response('<html>', { status, headers: { 'content-type': 'text/html' } }) : undefined,
      )
      const page = openPage()
      page.show(ONE)
      await clock.advance(MINUTE)
      expect(page.stream.status().stream).toMatchObject({ state: 'reconnecting', status, code: 'front_error' })
      expect(page.errors).toEqual(['front_error'])
      isDeploying = false
      await clock.advance(MINUTE)
      expect(page.stream.status().stream).toMatchObject({ state: 'connected', status: undefined, code: undefined })
      expect(page.prices.at(-1)).toMatchObject({ address: ONE, stale: false })
    },
  )

  test.each([
    ['a number', { 'retry-after': '20' }, 20],
    ['a date of a server whose clock is right, on a page whose clock is a day behind', dates(DAY, 20), 20],
    ['a date in May 2099', { 'retry-after': 'Sun, 10 May 2099 00:00:00 GMT' }, 60],
    ['a number of days', { 'retry-after': '86400' }, 60],
    ['words', { 'retry-after': 'later' }, 1],
  ])('for a while is asked for again after Retry-After, 60 s at most: %s', async (_, headers, seconds) => {
    const { clock, openPage } = setupPages({}, () =>
      Response.json({ error: { code: 'too_many_streams' } }, { status: 429, headers }),
    )
    const page = openPage()
    page.show(ONE)
    await clock.advance(10)
    expect(page.stream.status().stream).toMatchObject({ state: 'reconnecting', status: 429, code: 'too_many_streams' })
    const { until = 0 } = page.stream.status().stream
    const waitMs = until - clock.now()
    expect(waitMs).toBeGreaterThanOrEqual((seconds - 1) * SECOND)
    expect(waitMs).toBeLessThanOrEqual((seconds + 1) * SECOND)
    await clock.advance(waitMs - 1)
    expect(page.opened).toHaveLength(1)
    await clock.advance(2)
    expect(page.opened).toHaveLength(2)
    expect(page.errors).toEqual(['too_many_streams'])
  })

  /** `Date` and `Retry-After` of a server whose clock is ahead of the page. */
  function dates(aheadMs: number, seconds: number): Record<string, string> {
    const date = START + aheadMs
    return { date: new Date(date).toUTCString(), 'retry-after': new Date(date + seconds * SECOND).toUTCString() }
  }
})

describe('ages', () => {
  test('do not change where the wall clock is set back', async () => {
    const step = -3_600_000
    const clock = createVirtualClock()
    const { openPage } = setupPages({ clock })
    const page = openPage({ clock })
    page.show(ONE)
    await clock.advance(11 * SECOND)
    clock.stepWallClock(step)
    const later = openPage({ clock })
    later.show(ONE)
    await clock.advance(30 * SECOND)
    for (const { ageMs, stale } of [...page.prices, ...later.prices]) {
      expect(ageMs).toBeGreaterThanOrEqual(0)
      expect(ageMs).toBeLessThan(11 * SECOND)
      expect(stale).toBe(false)
    }
    expect(later.prices.length).toBeGreaterThanOrEqual(3)
  })

  test('a stream that says that all is well, and brings nothing, is stale', async () => {
    const settings = 'event: settings\ndata: {"everyMs":10000,"heartbeatMs":1000}\n\n'
    const text = `${settings}event: status\ndata: {"state":"connected","everyMs":10000}\n\n`
    const { clock, openPage } = setupPages({}, () => {
      const encoder = new TextEncoder()
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(encoder.encode(text)),
        async pull(controller) {
          await clock.sleep(SECOND)
          controller.enqueue(encoder.encode(':\n\n'))
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    const page = openPage()
    page.show(ONE)
    await clock.advance(SECOND)
    expect(page.stream.status().stream.state).toBe('connected')
    await clock.advance(20 * SECOND)
    expect(page.stream.status().stream.state).toBe('stale')
    expect(page.opened).toHaveLength(1)
  })
})

describe('a hidden page', () => {
  function setupHiding() {
    const document = Object.assign(new EventTarget(), { hidden: false })
    vi.stubGlobal('document', document)
    onTestFinished(() => void vi.unstubAllGlobals())
    return (isHidden: boolean) => {
      document.hidden = isHidden
      document.dispatchEvent(new Event('visibilitychange'))
    }
  }

  test('has no stream after ten seconds, and is shown the known prices at once', async () => {
    const hide = setupHiding()
    const { clock, openPage, proxy, fake } = setupPages()
    const page = openPage()
    page.show([ONE, TWO])
    await clock.advance(SECOND)
    hide(true)
    await clock.advance(9 * SECOND)
    expect(proxy.status().streams).toBe(1)
    await clock.advance(2 * SECOND)
    expect(proxy.status().streams).toBe(0)
    expect(page.stream.status().stream.state).toBe('paused')
    const before = fake.charged()
    page.show(THREE)
    await clock.advance(10 * MINUTE)
    expect(fake.charged()).toBe(before)
    page.prices.length = 0
    hide(false)
    await clock.advance(SECOND)
    expect(page.prices.map(({ address }) => address).sort()).toEqual([ONE, TWO, THREE].sort())
    expect(page.errors).toEqual([])
    expect(page.opened).toHaveLength(2)
  })

  test('that is seen again soon keeps its stream, and `keep` keeps it for ever', async () => {
    const hide = setupHiding()
    const { clock, openPage } = setupPages()
    const page = openPage()
    const keeping = openPage({ whenHidden: 'keep' })
    for (const each of [page, keeping]) each.show(ONE)
    await clock.advance(SECOND)
    hide(true)
    await clock.advance(5 * SECOND)
    hide(false)
    await clock.advance(MINUTE)
    expect(page.opened).toHaveLength(1)
    hide(true)
    const before = keeping.prices.length
    await clock.advance(MINUTE)
    expect(keeping.opened).toHaveLength(1)
    expect(keeping.prices.length).toBeGreaterThanOrEqual(before + 5)
  })
})

describe('is refused at once', () => {
  test.each([
    [{ url: '' }, 'url'],
    [{ url: 'market' }, 'url'],
    [{ url: '/api/market?x=1' }, 'url'],
    [{ url: 'javascript:alert(1)' }, 'url'],
    [{ url: BASE, feed: {} }, 'feed'],
    [{ url: BASE, shareTabs: true }, 'shareTabs'],
    [{ url: BASE, whenHidden: 'pause' }, 'whenHidden'],
  ])('%o', (given, named) => {
    const options = given as PriceStreamOptions
    expect(() => createPriceStream(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
    expect(() => createPriceStream(options)).toThrow(named)
  })

  test('an address that is none, and an interval of nothing', () => {
    const stream = createPriceStream({ url: '/api/market' })
    expect(() => stream.watch('0x12', { everyMs: SECOND })).toThrow('0x12')
    expect(() => stream.watch(ONE, { everyMs: 0 })).toThrow('everyMs')
    expect(() => stream.peek('BOLT')).toThrow('BOLT')
  })
})
