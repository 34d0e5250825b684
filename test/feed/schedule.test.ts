import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { creditsFor, requestCredits, splitIntoRequests } from '../../src/credits/batch-cost.ts'
import { createPriorityQueue } from '../../src/utils/priority-queue.ts'
import { testProperty } from '../support/property.ts'
import { MINUTE, recordWatch, requests, SECOND, setupFeed, some } from './setup.ts'

testProperty(
  'the priority queue returns the smallest key first after any additions, moves and removals',
  () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('put', 'delete', 'pop'), fc.nat(9), fc.nat(20)), { maxLength: 60 })
    return fc.property(steps, (run) => {
      const items = Array.from({ length: 10 }, () => ({ dueAt: 0 }))
      const queue = createPriorityQueue<{ dueAt: number }>(({ dueAt }) => dueAt)
      const model = new Set<{ dueAt: number }>()
      for (const [step, index, dueAt] of run) {
        const item = items[index]!
        if (step === 'delete') {
          queue.delete(item)
          model.delete(item)
        } else if (step === 'put') {
          item.dueAt = dueAt
          queue.put(item)
          model.add(item)
        } else {
          const first = queue.pop()
          expect(first?.dueAt).toBe(model.size === 0 ? undefined : Math.min(...[...model].map((one) => one.dueAt)))
          if (first) model.delete(first)
        }
        expect(queue.size).toBe(model.size)
      }
    })
  },
  { cases: 100 },
)

test('addresses are split into the cheapest requests', () => {
  for (let count = 0; count <= 160; count++) {
    const sizes = splitIntoRequests(Array.from({ length: count })).map(({ length }) => length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count)
    expect(sizes.reduce((sum, size) => sum + requestCredits(size), 0)).toBe(creditsFor(count))
    // No other split into batches and single calls is cheaper.
    const splits = Array.from({ length: count + 1 }, (_, alone) => {
      const batched = count - alone
      return alone * 50 + Math.ceil(batched / 50) * 100 + batched * 10
    })
    expect(creditsFor(count)).toBe(Math.min(...splits))
  }
})

describe('the schedule', () => {
  test('buys a slow watch early with the calls of a fast one', async () => {
    const { feed, fake, clock } = setupFeed()
    const start = clock.now()
    recordWatch(feed, some(4), MINUTE)
    recordWatch(feed, some(3, 4), 90 * SECOND)
    await clock.advance(3 * MINUTE + SECOND)
    // Alone, the slow one would need calls after 90 and 180 seconds.
    expect(requests(fake, start)).toEqual([
      [5, 7],
      [60_005, 7],
      [120_005, 7],
      [180_005, 7],
    ])
  })

  test('merges watches that started apart', async () => {
    const { feed, fake, clock } = setupFeed()
    recordWatch(feed, some(5), 5 * MINUTE)
    await clock.advance(2 * MINUTE)
    recordWatch(feed, some(5, 5), 10 * MINUTE)
    await clock.advance(8 * MINUTE)
    const before = fake.journal().length
    await clock.advance(60 * MINUTE)
    expect(fake.journal().length - before).toBe(12)
  })

  test('sends requests early enough for the new price to arrive in time', async () => {
    const { feed, clock } = setupFeed({}, { latencyMs: 400 })
    const { prices } = recordWatch(feed, some(1)[0] ?? '', 10 * SECOND)
    let last = clock.now()
    let oldest = 0
    await clock.advance(2 * SECOND)
    for (let step = 0; step < 600; step++) {
      await clock.advance(100)
      last = prices.at(-1)?.at ?? last
      oldest = Math.max(oldest, clock.now() - last)
    }
    expect(oldest).toBeLessThanOrEqual(10 * SECOND)
    expect(prices.length).toBeLessThanOrEqual(8)
  })

  test('fills parts of requests that would stay in step for ever', async () => {
    const { feed, fake, clock } = setupFeed()
    recordWatch(feed, some(34), 5 * MINUTE)
    await clock.advance(93 * SECOND)
    recordWatch(feed, some(49, 34), 5 * MINUTE)
    await clock.advance(64 * SECOND)
    recordWatch(feed, some(17, 83), 5 * MINUTE)
    await clock.advance(60 * MINUTE)
    const before = fake.charged()
    await clock.advance(10 * 60 * MINUTE)
    expect((fake.charged() - before) / (120 * creditsFor(100))).toBeLessThanOrEqual(1.01)
  })
})
