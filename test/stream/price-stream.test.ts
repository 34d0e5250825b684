import { createPriceStream } from 'etn-market/stream'
import { describe, expect, test, vi } from 'vitest'
import { BASE, TOKENS } from '../proxy/setup.ts'
import { settle } from '../support/settle.ts'
import { MINUTE, SECOND, setupPages } from './setup.ts'

const [ONE = '', TWO = '', THREE = ''] = TOKENS

describe('a price stream', () => {
  test('keeps the prices of a page up to date, in every spelling, from one stream', async () => {
    const { clock, openPage, fake, feed } = setupPages()
    const page = openPage()
    page.show([ONE, TWO])
    page.show(ONE.toLowerCase())
    await clock.advance(MINUTE)
    expect(page.opened).toEqual([
      `?addresses=${[ONE, TWO].map((address) => address.toLowerCase()).sort()}&everyMs=10000`,
    ])
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
      stream: { state: 'fine' },
    })
    expect(fake.charged()).toBe(feed.status().spent)
  })

  test('ends with its last watch, and a known price is delivered to the next one at once', async () => {
    const { clock, openPage, proxy } = setupPages()
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
    page.stream.close()
    await clock.advance(SECOND)
    expect(proxy.status().streams).toBe(0)
    expect(page.stream.status().state).toBe('closed')
    expect(() => page.show(ONE)).toThrow(expect.objectContaining({ code: 'stream_closed' }))
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

  test('says why there are no prices, once', async () => {
    const { clock, openPage, fake } = setupPages()
    fake.fault({
      operation: 'prices.batch',
      times: 100,
      status: 402,
      body: { error: { code: 'insufficient_credits' } },
    })
    fake.fault({ operation: 'token.price', times: 100, status: 402, body: { error: { code: 'insufficient_credits' } } })
    const page = openPage()
    page.show(ONE)
    await clock.advance(MINUTE)
    expect(page.errors).toEqual(['out_of_credits'])
    expect(page.stream.status().stream.state).toBe('out_of_credits')
  })

  test('reports a server without a stream, and asks it no more', async () => {
    const { clock, openPage } = setupPages({}, () => new Response('<html>', { status: 404 }))
    const page = openPage()
    page.show(ONE)
    await clock.advance(10 * MINUTE)
    expect(page.errors).toEqual(['stream_unavailable'])
    expect(page.opened).toHaveLength(1)
  })

  test('leaves an event that has no end, reports that there is no connection, and connects again', async () => {
    const text = new TextEncoder().encode(`data: ${'x'.repeat(99_000)}\n`)
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
    await clock.advance(20 * SECOND)
    const attempts = page.opened.length
    expect(attempts).toBeGreaterThan(1)
    expect(sent).toBeLessThan(attempts * 1_300_000)
    expect(page.errors).toEqual(['connection_failed'])
    isBroken = false
    await clock.advance(2 * MINUTE)
    expect(page.prices.length).toBeGreaterThan(0)
  })

  test('leaves no timer behind', async () => {
    const { clock, openPage, proxy, feed } = setupPages()
    const page = openPage()
    page.show(ONE)
    await clock.advance(SECOND)
    page.stream.close()
    await proxy.close()
    await feed.close()
    await settle()
    expect(clock.pending).toBe(0)
  })
})

describe('is refused at once', () => {
  test.each([
    [{ url: '' }, 'url'],
    [{ url: 'market' }, 'url'],
    [{ url: '/api/market?x=1' }, 'url'],
    [{ url: 'javascript:alert(1)' }, 'url'],
    [{ url: BASE, feed: {} }, 'feed'],
  ])('%o', (options, named) => {
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
