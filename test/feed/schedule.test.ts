import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PriorityQueue } from '../../src/utils/priority-queue.ts'
import { testProperty } from '../support/property.ts'
import { MINUTE, recordWatch, requests, SECOND, setupFeed, some } from './setup.ts'

testProperty(
  'the priority queue returns the smallest key first after any additions, moves and removals',
  () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('put', 'delete', 'pop'), fc.nat(9), fc.nat(20)), { maxLength: 60 })
    return fc.property(steps, (run) => {
      const items = Array.from({ length: 10 }, () => ({ dueAt: 0 }))
      const queue = new PriorityQueue<{ dueAt: number }>(({ dueAt }) => dueAt)
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
          const first = queue.peek()
          if (first) queue.delete(first)
          expect(first?.dueAt).toBe(model.size === 0 ? undefined : Math.min(...[...model].map((one) => one.dueAt)))
          if (first) model.delete(first)
        }
        expect(queue.size).toBe(model.size)
      }
    })
  },
  { cases: 50 },
)

test('the schedule buys a slow watch early with the calls of a fast one', async () => {
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
