import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createPriceStream, type PriceStreamOptions } from 'etn-market/stream'
import { describe, expect, test, vi } from 'vitest'
import { setupFeed } from '../feed/setup.ts'
import { BASE, TOKENS } from '../proxy/setup.ts'
import { onCaseFinished } from '../support/property.ts'
import { MINUTE, SECOND, setupPages } from './setup.ts'

const [ONE = ''] = TOKENS

/** `AppState` of React Native. */
function createAppState() {
  const listeners = new Set<(state: string) => void>()
  const app = {
    currentState: 'active',
    addEventListener(type: string, listener: (state: string) => void) {
      if (type === 'change') listeners.add(listener)
      return { remove: () => listeners.delete(listener) }
    },
  }
  const become = (state: string) => {
    app.currentState = state
    for (const listener of listeners) listener(state)
  }
  return { app, become, listeners }
}

/** `fetch` of React Native, which is whatwg-fetch: it resolves when the body has ended, with a response that has no `body`. */
const withoutBody = async (response: Response) => {
  const { status, headers } = response
  return { status, headers, ok: response.ok, text: () => response.text() } as Response
}

describe('an app without a fetch that streams', () => {
  test('opens no stream, and the error says why and what to pass', async () => {
    const opened = vi.fn()
    vi.stubGlobal('fetch', Object.assign(opened, { polyfill: true }))
    onCaseFinished(() => void vi.unstubAllGlobals())
    const { clock, openPage, proxy } = setupPages()
    const page = openPage({ fetch: undefined })
    page.show(ONE)
    await clock.advance(10 * MINUTE)
    expect(opened).not.toHaveBeenCalled()
    expect(proxy.status().streams).toBe(0)
    expect(page.errors).toEqual(['no_streaming_fetch'])
    expect(page.stream.status().stream).toMatchObject({
      state: 'refused',
      code: 'no_streaming_fetch',
      until: undefined,
    })
  })

  test('that passes a function around it holds no place at the proxy either, once an answer has no body', async () => {
    const { clock, openPage, proxy } = setupPages({}, (url) =>
      withoutBody(new Response(`: ${url}`, { headers: { 'content-type': 'text/event-stream' } })),
    )
    const page = openPage()
    page.show(ONE)
    await clock.advance(10 * MINUTE)
    expect(page.opened).toHaveLength(1)
    expect(proxy.status().streams).toBe(0)
    expect(page.errors).toEqual(['no_streaming_fetch'])
  })

  test('has a feed that buys at once, and holds no place at the proxy', async () => {
    const { clock, proxy } = setupPages()
    const asked: string[] = []
    const polyfill = async (url: string, init: object) => {
      asked.push(new URL(url).pathname)
      return withoutBody(await proxy(new Request(url, init)))
    }
    const client = createClient({
      apiKey: 'public',
      baseUrl: BASE,
      clock,
      fetch: Object.assign(polyfill, { polyfill: true }) as never,
    })
    const feed = createPriceFeed(client, { stream: true, clock })
    onCaseFinished(async () => {
      await feed.close()
      await client.close()
    })
    const prices: string[] = []
    feed.watch(ONE, { everyMs: MINUTE, onPrice: ({ address }) => void prices.push(address), onError: () => {} })
    await clock.advance(5 * MINUTE)
    expect(prices.length).toBeGreaterThanOrEqual(5)
    expect(asked.filter((path) => path.includes('stream'))).toEqual([])
    expect(proxy.status().streams).toBe(0)
    expect(feed.status().stream).toMatchObject({ state: 'refused', code: 'no_streaming_fetch' })
  })
})

test('a stream is requested as it is: a `cache` would make React Native add the time to its URL', async () => {
  const fetch = vi.fn(() => new Promise<Response>(() => {}))
  const { clock, openPage } = setupPages()
  openPage({ fetch }).show(ONE)
  await clock.advance(SECOND)
  const init = { credentials: 'same-origin', headers: { accept: 'text/event-stream' }, signal: expect.anything() }
  expect(fetch.mock.calls).toEqual([[`${BASE}/stream?addresses=${ONE}`, init]])
})

describe('an app that is not seen', () => {
  test('has no stream while AppState says so, and leaves no listener', async () => {
    const { app, become, listeners } = createAppState()
    const { clock, openPage, proxy } = setupPages()
    const page = openPage({ whenHidden: app })
    page.show(ONE)
    await clock.advance(SECOND)
    become('inactive')
    await clock.advance(MINUTE)
    expect(proxy.status().streams).toBe(1)
    become('background')
    await clock.advance(11 * SECOND)
    expect(proxy.status().streams).toBe(0)
    expect(page.stream.status().stream.state).toBe('paused')
    const before = page.prices.length
    become('active')
    await clock.advance(11 * SECOND)
    expect(proxy.status().streams).toBe(1)
    expect(page.prices.length).toBeGreaterThan(before)
    page.stream.close()
    expect(listeners.size).toBe(0)
  })

  test('has a feed that spends nothing', async () => {
    const { app, become, listeners } = createAppState()
    const { clock, fake, feed } = setupFeed({ pauseWhenHidden: app })
    feed.watch(ONE, { everyMs: MINUTE, onPrice() {} })
    await clock.advance(SECOND)
    become('background')
    const before = fake.charged()
    await clock.advance(10 * MINUTE)
    expect([before, fake.charged(), feed.status().state]).toEqual([50, 50, 'paused'])
    become('active')
    await clock.advance(SECOND)
    expect(fake.charged()).toBe(100)
    await feed.close()
    expect(listeners.size).toBe(0)
  })

  test.each([{}, null, 1])('%o is no AppState', async (whenHidden) => {
    const options = { url: BASE, whenHidden } as PriceStreamOptions
    expect(() => createPriceStream(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
    const { client } = setupPages()
    const feedOptions = { pauseWhenHidden: whenHidden } as never
    expect(() => createPriceFeed(client, feedOptions)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })
})
