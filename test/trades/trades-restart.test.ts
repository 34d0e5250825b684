import { InvalidRequestError, type Trade } from 'etn-market'
import { followTrades } from 'etn-market/trades'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../feed/processes.ts'
import { MINUTE, read, SECOND, setupFeed, types } from '../feed/setup.ts'
import { testProperty } from '../support/property.ts'
import { numbers, range, serveTrades } from './trade-list.ts'

describe('after a restart with a store', () => {
  test('known trades are not bought again, and only as many as are needed are asked for', async () => {
    const { start, clock, fake } = createMachine()
    const list = serveTrades(fake, 30)
    const first = start()
    const one = read(followTrades(first.feed, { everyMs: 10 * SECOND }))
    for (let index = 0; index < 10; index++) {
      await clock.advance(10 * SECOND)
      list.add(1)
    }
    await first.feed.close()
    expect(one.end.state).toBe('resolved')
    const before = fake.charged()
    const second = start()
    const { seen } = read(followTrades(second.feed, { everyMs: 30 * SECOND }))
    await clock.advance(9 * SECOND)
    expect(numbers(seen)).toEqual(range(15, 39))
    expect(fake.charged()).toBe(before)
    await clock.advance(30 * SECOND)
    expect(numbers(seen)).toEqual(range(15, 40))
    expect(fake.charged() - before).toBeLessThan(450)
    await second.feed.close()
    expect(clock.pending).toBe(0)
  })

  test('a reader with a name continues where it stopped, others begin with the newest 25', async () => {
    const { start, clock, fake, values } = createMachine()
    const list = serveTrades(fake, 30)
    const first = start()
    const one = followTrades(first.feed, { everyMs: MINUTE, resumeAs: 'archive' })
    const some: Trade[] = []
    for await (const trade of one) {
      some.push(trade)
      if (some.length === 10) break
    }
    await first.feed.close()
    list.add(4)
    const second = start()
    const archive = read(followTrades(second.feed, { everyMs: MINUTE, resumeAs: 'archive' }))
    const fresh = read(followTrades(second.feed, { everyMs: MINUTE }))
    await clock.advance(2 * MINUTE)
    expect(numbers([...some, ...archive.seen])).toEqual(range(6, 34))
    expect(numbers(fresh.seen)).toEqual(range(6, 34))
    await second.feed.close()
    expect([...values.keys()].filter((key) => key.includes('trades'))).toEqual([
      'etn-market:feed:trades:1:all',
      'etn-market:feed:trades:1:all:archive',
    ])
  })

  test('after a crash, the trades that a reader with a name took since it last waited come again', async () => {
    const { start, clock, fake } = createMachine()
    const list = serveTrades(fake, 30)
    const first = start()
    const archive = followTrades(first.feed, { everyMs: MINUTE, resumeAs: 'archive' })[Symbol.asyncIterator]()
    for (let index = 0; index < 25; index++) await archive.next()
    void archive.next()
    list.add(4)
    await clock.advance(MINUTE + SECOND)
    expect((await archive.next()).value?.timestamp).toBe(32)
    const charged = fake.charged()
    first.kill()
    const second = start()
    const { seen } = read(followTrades(second.feed, { everyMs: MINUTE, resumeAs: 'archive' }))
    await clock.advance(SECOND)
    expect(numbers(seen)).toEqual(range(31, 34))
    fake.expectCredits(charged)
    await second.feed.close()
  })

  test('a named reader that missed trades gets one call of onGap', async () => {
    const { start, clock, fake } = createMachine()
    const list = serveTrades(fake, 30)
    const first = start()
    read(followTrades(first.feed, { everyMs: MINUTE, resumeAs: 'archive' }))
    await clock.advance(SECOND)
    await first.feed.close()
    list.add(40)
    const second = start()
    let gaps = 0
    const { seen } = read(followTrades(second.feed, { everyMs: MINUTE, resumeAs: 'archive', onGap: () => void gaps++ }))
    await clock.advance(5 * MINUTE)
    expect(numbers(seen)).toEqual(range(46, 70))
    expect(gaps).toBe(1)
    expect(second.events.find(({ type }) => type === 'feed.gap')).toMatchObject({ from: 30, to: 46 })
    await second.feed.close()
  })

  test.each([
    '{',
    '{"trades":[]}',
    '[7]',
    JSON.stringify({ trades: [{ usd: 5 }], isComplete: false, at: 1, everyMs: 1 }),
  ])('an entry %s is as if absent, with an event', async (entry) => {
    const { start, clock, fake, values } = createMachine()
    serveTrades(fake, 30)
    values.set('etn-market:feed:trades:1:all', entry)
    values.set('etn-market:feed:trades:1:all:archive', entry)
    const { feed, events } = start()
    const { seen } = read(followTrades(feed, { everyMs: MINUTE, resumeAs: 'archive' }))
    await clock.advance(SECOND)
    expect(numbers(seen)).toEqual(range(6, 30))
    expect(types(events).filter((type) => type === 'feed.store_failed')).toHaveLength(2)
    await feed.close()
  })

  test('a store that fails costs a page and events, and no trade', async () => {
    const { start, clock, fake, store } = createMachine()
    serveTrades(fake, 30)
    store.fails = true
    const { feed, events } = start()
    const { seen } = read(followTrades(feed, { everyMs: MINUTE, resumeAs: 'archive' }))
    await clock.advance(SECOND)
    expect(numbers(seen)).toEqual(range(6, 30))
    expect(types(events)).toContain('feed.store_failed')
    await feed.close()
    expect(clock.pending).toBe(0)
  })
})

test.each(['', 7])('rejects the name %j, and a name without a store', (resumeAs) => {
  const { start } = createMachine()
  expect(() => followTrades(start().feed, { everyMs: 5, resumeAs: resumeAs as never })).toThrow(InvalidRequestError)
  expect(() => followTrades(setupFeed().feed, { everyMs: 5, resumeAs: 'archive' })).toThrow(/store/)
})

testProperty(
  'no reader gets a trade twice or misses one without a gap, for the cost of one reader',
  () => {
    const step = fc.record({
      minutes: fc.integer({ min: 1, max: 10 }),
      trades: fc.integer({ min: 0, max: 40 }),
      act: fc.constantFrom('join', 'join', 'leave', 'restart', 'nothing'),
      everyMinutes: fc.integer({ min: 1, max: 5 }),
      fault: fc.constantFrom(
        undefined,
        undefined,
        { reset: 'after' as const },
        { reset: 'before' as const },
        { status: 503 },
        { malformed: true as const },
        { truncate: 30 },
      ),
    })
    return fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      const { start, clock, fake } = createMachine()
      clock.randomValue = 0.5
      const list = serveTrades(fake, 30)
      const began = clock.now()
      const readers: { seen: Trade[]; from: number; gaps: number; leave: AbortController }[] = []
      /** The trades of the reader that continues after each restart. */
      const archive: Trade[] = []
      let archiveGaps = 0
      let process = start()
      const follow = () => {
        void (async () => {
          const onGap = () => void archiveGaps++
          for await (const trade of followTrades(process.feed, { everyMs: MINUTE, resumeAs: 'archive', onGap }))
            archive.push(trade)
        })()
      }
      follow()
      for (const { minutes, trades, act, everyMinutes, fault } of steps) {
        if (fault) fake.fault({ operation: 'trade.list', ...fault })
        if (act === 'join') {
          const leave = new AbortController()
          const reader = { seen: [] as Trade[], from: list.trades.length, gaps: 0, leave }
          const options = { everyMs: everyMinutes * MINUTE, signal: leave.signal, onGap: () => void reader.gaps++ }
          void (async () => {
            for await (const trade of followTrades(process.feed, options)) reader.seen.push(trade)
          })().catch(() => {})
          readers.push(reader)
        }
        if (act === 'leave') readers.at(-1)?.leave.abort()
        if (act === 'restart') {
          await process.feed.close()
          process = start()
          follow()
        }
        for (let minute = 0; minute < minutes; minute++) {
          list.add(Math.floor(trades / minutes))
          await clock.advance(MINUTE)
        }
      }
      for (const fault of fake.faults()) fault.remove()
      await clock.advance(6 * MINUTE)
      const minutes = (clock.now() - began) / MINUTE
      expect(archive.at(-1)?.timestamp).toBe(list.trades.length)
      await process.feed.close()
      for (const { seen, gaps } of [...readers, { seen: archive, gaps: archiveGaps }]) {
        const found = numbers(seen) as number[]
        expect(new Set(found).size).toBe(found.length)
        expect(found).toEqual(found.toSorted((a, b) => a - b))
        const jumps = found.filter((number, index) => index > 0 && number !== (found[index - 1] ?? 0) + 1)
        expect(jumps.length).toBeLessThanOrEqual(gaps)
      }
      expect(fake.charged()).toBeLessThanOrEqual(500 * (minutes + 1) + 500)
      expect(clock.pending).toBe(0)
    })
  },
  {
    cases: 5,
    examples: [
      // A lost answer, and a restart before the next one: the new process did not know what it had cost.
      [
        [
          { minutes: 8, trades: 40, act: 'join', everyMinutes: 4, fault: { malformed: true } },
          { minutes: 1, trades: 0, act: 'join', everyMinutes: 3, fault: { reset: 'after' } },
          { minutes: 1, trades: 39, act: 'restart', everyMinutes: 4, fault: undefined },
          { minutes: 8, trades: 1, act: 'nothing', everyMinutes: 4, fault: { truncate: 30 } },
        ],
      ],
    ],
  },
)
