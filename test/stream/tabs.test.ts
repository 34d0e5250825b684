import { describe, expect, test } from 'vitest'
import { TOKENS } from '../proxy/setup.ts'
import { settle } from '../support/settle.ts'
import { MINUTE, SECOND, setupPages } from './setup.ts'

const [ONE = '', TWO = '', THREE = ''] = TOKENS

/** Pages that show the same list of tokens, opened one after the other. */
async function setupTabs(count: number) {
  const made = setupPages()
  const pages = []
  for (let index = 0; index < count; index++) {
    const page = made.openPage()
    page.show([ONE, TWO])
    await made.clock.advance(SECOND)
    pages.push(page)
  }
  const streams = () => made.proxy.status().streams
  return { ...made, pages, streams }
}

describe('the tabs of a browser', () => {
  test('have one stream together, and each has every price', async () => {
    const { clock, pages, streams } = await setupTabs(5)
    await clock.advance(MINUTE)
    expect(streams()).toBe(1)
    expect(pages.map(({ opened }) => opened.length)).toEqual([1, 0, 0, 0, 0])
    for (const { prices, stream, errors } of pages) {
      expect(prices.length).toBeGreaterThanOrEqual(2 * 6)
      expect(prices.map(({ stale }) => stale)).not.toContain(true)
      expect(stream.peek(ONE)?.at).toBe(pages[0]?.stream.peek(ONE)?.at)
      expect(stream.status().stream.state).toBe('fine')
      expect(errors).toEqual([])
    }
  })

  test('that open later have known prices at once', async () => {
    const { clock, openPage } = await setupTabs(1)
    const page = openPage()
    page.show(TWO.toLowerCase())
    await clock.advance(10)
    expect(page.prices.map(({ address }) => address)).toEqual([TWO.toLowerCase()])
  })

  test('get what each of them wants, at its interval', async () => {
    const { clock, openPage, pages, streams } = await setupTabs(1)
    const [first] = pages
    const page = openPage()
    const watch = page.show([TWO, THREE], 20 * SECOND)
    await clock.advance(MINUTE)
    expect(streams()).toBe(2)
    expect(page.opened).toEqual([])
    expect(first?.opened.at(-1)).toBe(`?addresses=${THREE.toLowerCase()}&everyMs=20000`)
    expect(page.prices.some(({ address }) => address === THREE)).toBe(true)
    watch.stop()
    await clock.advance(SECOND)
    expect(streams()).toBe(1)
  })

  test.each(['kill', 'close'] as const)('go on when the tab that has the stream goes (%s)', async (end) => {
    const { clock, pages, streams } = await setupTabs(3)
    const [first, ...others] = pages
    if (end === 'kill') first?.tab.kill()
    else first?.stream.close()
    await clock.advance(SECOND)
    for (const page of others) page.prices.length = 0
    await clock.advance(30 * SECOND)
    expect(streams()).toBe(1)
    expect(others.map(({ opened }) => opened.length)).toEqual([1, 0])
    for (const { prices, errors, stream } of others) {
      expect(prices.length).toBeGreaterThanOrEqual(2 * 2)
      expect(prices.map(({ stale }) => stale)).not.toContain(true)
      expect(stream.status().stream.state).toBe('fine')
      expect(errors).toEqual([])
    }
  })

  test('are forgotten when they go: nobody pays for what they wanted', async () => {
    const { clock, openPage, streams, browser } = await setupTabs(1)
    const page = openPage()
    page.show(THREE, 20 * SECOND)
    await clock.advance(SECOND)
    expect(streams()).toBe(2)
    page.tab.kill()
    await clock.advance(SECOND)
    expect(streams()).toBe(1)
    expect(browser.locks().every(({ waiting }) => waiting === 0)).toBe(true)
  })

  test('take the lead from one that is frozen, which follows when it runs again', async () => {
    const { clock, pages, streams } = await setupTabs(2)
    const [first, second] = pages
    const thaw = first?.tab.freeze()
    await clock.advance(10 * MINUTE)
    expect(second?.opened).toHaveLength(1)
    expect(second?.stream.peek(ONE)).toMatchObject({ stale: false })
    expect(second?.stream.status().stream.state).toBe('fine')
    thaw?.()
    await clock.advance(11 * SECOND)
    expect(streams()).toBe(1)
    for (const { stream } of pages) {
      expect(stream.status().stream.state).toBe('fine')
      expect(stream.peek(ONE)).toMatchObject({ stale: false, at: second?.stream.peek(ONE)?.at })
    }
  })

  test('know when their stream has no credits', async () => {
    const { clock, pages, fake, openPage } = await setupTabs(2)
    fake.fault({
      operation: 'prices.batch',
      times: 100,
      status: 402,
      body: { error: { code: 'insufficient_credits' } },
    })
    fake.fault({ operation: 'token.price', times: 100, status: 402, body: { error: { code: 'insufficient_credits' } } })
    await clock.advance(MINUTE)
    const late = openPage()
    late.show(ONE)
    await clock.advance(10 * SECOND)
    for (const { errors, stream } of [...pages, late]) {
      expect(errors).toEqual(['out_of_credits'])
      expect(stream.status().stream.state).toBe('out_of_credits')
    }
  })

  test('have a stream each where they ask for it, and where the browser has no locks', async () => {
    const { clock, openPage, proxy } = setupPages()
    for (const shareTabs of [false, false]) openPage({ shareTabs }).show(ONE)
    await clock.advance(SECOND)
    expect(proxy.status().streams).toBe(2)
  })

  test('leave no lock, and no timer', async () => {
    const { pages, browser, clock, proxy, feed } = await setupTabs(3)
    for (const { stream } of pages) stream.close()
    await proxy.close()
    await feed.close()
    await settle()
    expect(browser.locks()).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
