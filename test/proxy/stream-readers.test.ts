import type { FeedPrice, FeedStatus, PriceFeed, WatchOptions } from 'etn-market/feed'
import { describe, expect, test } from 'vitest'
import { createVirtualClock, START } from '../support/clock.ts'
import { settle } from '../support/settle.ts'
import { within } from '../support/wait.ts'
import { TOKENS } from './setup.ts'
import { setupStream } from './stream-setup.ts'

const SECOND = 1_000
const [ONE = '', TWO = '', _THREE = ''] = TOKENS
const query = (addresses: readonly string[]) => `?addresses=${addresses}`

describe('a slow reader', () => {
  test('gets the newest price of each address only, in the order of their ids', async () => {
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
    const sequences = texts
      .join('')
      .match(/(?<=^id: .*\.)\d+$/gm)
      ?.map(Number)
    expect(sequences).toEqual([...(sequences ?? [])].sort((a, b) => a - b))
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

describe('a page that reconnects', () => {
  test('gets what it has missed, and nothing that it has seen', async () => {
    const { clock, listen } = setupStream({ everyMs: 20 * SECOND })
    const other = await listen(query([ONE, TWO]), { visitor: 'other' })
    const first = await listen(query([ONE, TWO]))
    await clock.advance(SECOND)
    expect(first.prices).toHaveLength(2)
    const lastId = first.ids.at(-1) ?? ''
    await first.stop()
    const seen = await listen(query([ONE, TWO]), { headers: { 'last-event-id': lastId } })
    await settle()
    expect(seen.prices).toEqual([])
    await seen.stop()
    await clock.advance(20 * SECOND)
    const missed = await listen(query([ONE, TWO]), { headers: { 'last-event-id': lastId } })
    await settle()
    expect(missed.prices.map(({ at }) => at)).toEqual(other.prices.slice(-2).map(({ at }) => at))
  })

  test.each(['garbage', '1.1.1', 'x'.repeat(5_000), ''])(
    'with an id that is not ours (%#) gets all again',
    async (id) => {
      const { clock, listen } = setupStream()
      await listen(query([ONE]), { visitor: 'other' })
      await clock.advance(SECOND)
      const { prices } = await listen(query([ONE]), { headers: { 'last-event-id': id } })
      await settle()
      expect(prices).toHaveLength(1)
    },
  )

  test('after all have left gets what the feed knows, rather than too little', async () => {
    const { clock, listen } = setupStream()
    const first = await listen(query([ONE]))
    await clock.advance(SECOND)
    await first.stop()
    const again = await listen(query([ONE]), { headers: { 'last-event-id': first.ids.at(-1) ?? '' } })
    await settle()
    expect(again.prices).toHaveLength(1)
  })
})

describe('the events of a source', () => {
  /** A feed whose prices the test delivers. */
  function manualFeed() {
    let onPrice: ((price: FeedPrice) => void) | undefined
    const watch = ((_: unknown, options: WatchOptions) => {
      onPrice = options.onPrice
      return { stop() {}, update() {} }
    }) as unknown as PriceFeed['watch']
    const status = () => ({ state: 'running', stretch: 1, limit: 1_000 }) as FeedStatus
    const deliver = (address: string, at: number) =>
      onPrice?.({ address, usd: '1', etn: '2', at, ageMs: 0, stale: false })
    return { feed: { watch, status }, deliver }
  }

  test('are read in the order of their ids, so that an id stands for all before it', async () => {
    const { feed, deliver } = manualFeed()
    const { ask, clock } = setupStream({}, { feed })
    const { body } = await ask(`/stream${query([ONE, TWO])}`)
    for (const address of [ONE, TWO, ONE]) {
      deliver(address, clock.now())
      await clock.advance(1)
    }
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes(TWO)) {
      const read = await within('the price of the second token', reader!.read(), { state: () => text })
      expect(read.done, text).toBe(false)
      text += read.value
    }
    expect(text.match(/(?<=^id: .*\.)\d+$/gm)).toEqual(['2', '3'])
    await reader?.cancel()
  })

  test('have the age of the moment at which they are sent', async () => {
    const { feed, deliver } = manualFeed()
    const clock = createVirtualClock(START, true)
    const { listen } = setupStream({ everyMs: 10 * SECOND }, { feed, clock })
    await listen(query([ONE]))
    deliver(ONE, clock.now())
    clock.stepWallClock(-3_600_000)
    await clock.advance(11 * SECOND)
    const late = await listen(query([ONE]))
    await settle()
    expect(late.prices).toMatchObject([{ address: ONE, ageMs: 11 * SECOND, stale: true }])
  })
})
