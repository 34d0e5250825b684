import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createQueue } from '../../src/feed/queue.ts'
import { load, type Slot } from '../../src/feed/riders.ts'
import { creditsFor, requestCredits, shareOut } from '../../src/feed/route.ts'
import { MINUTE, noted, requests, SECOND, some, stage } from './setup.ts'

const queueOf = (slots: Slot[]) => {
  const queue = createQueue<Slot>(({ dueAt }) => dueAt)
  for (const slot of slots) queue.put(slot)
  return queue
}

test('the queue gives the smallest first, whatever is put in, moved and taken out', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('put', 'delete', 'pop'), fc.nat(9), fc.nat(20)), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (run) => {
      const items = Array.from({ length: 10 }, () => ({ dueAt: 0 }))
      const queue = createQueue<{ dueAt: number }>(({ dueAt }) => dueAt)
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
    }),
  )
})

test('what a call of fifty costs grows with the logarithm of how many addresses are watched', () => {
  const readsPerAddress = (watched: number) => {
    let reads = 0
    const queue = createQueue<Slot>(({ dueAt }) => {
      reads++
      return dueAt
    })
    // Multiples of a prime number: in no order, and none twice.
    for (let index = 0; index < watched; index++)
      queue.put({ dueAt: 1 + ((index * 7_919) % watched), lastsMs: watched })
    reads = 0
    let now = 0
    for (let call = 0; call < 20; call++) {
      now += 50
      const { due, riders } = load(queue, 0, now, { gapMs: 50, crowded: true })
      for (const slot of [...due, ...riders]) {
        slot.dueAt = now + slot.lastsMs
        queue.put(slot)
      }
    }
    return reads / now
  }
  const [small = 0, ...larger] = [1_000, 10_000, 100_000].map(readsPerAddress)
  // Ten times as many are 3.3 levels more, and each reads a few keys on the way down and on the way up.
  expect(small).toBeLessThan(80)
  for (const [step, reads] of larger.entries()) expect(reads - small).toBeLessThan(20 * (step + 1))
})

test('addresses are shared out to the cheapest requests', () => {
  for (let count = 0; count <= 160; count++) {
    const sizes = shareOut(Array.from({ length: count })).map(({ length }) => length)
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

describe('riders', () => {
  const tempo = { gapMs: MINUTE, crowded: false }
  const slot = (inMs: number, lastsMs: number): Slot => ({ dueAt: inMs, lastsMs })

  test('are those that would be due before the next call', () => {
    const due = [slot(0, MINUTE), slot(0, MINUTE), slot(0, MINUTE)]
    const between = slot(30 * SECOND, 90 * SECOND)
    const after = slot(70 * SECOND, 90 * SECOND)
    const queue = queueOf([...due, between, after])
    expect(load(queue, 0, 0, tempo)).toEqual({ due, riders: [between] })
    expect(queue.items()).toEqual([after])
  })

  test('are not taken when they waste more than they save', () => {
    // Fifteen addresses that have just been bought would cost 150 to save a base fee of 100.
    const fresh = Array.from({ length: 15 }, () => slot(59 * SECOND, MINUTE))
    expect(load(queueOf([slot(0, MINUTE), ...fresh]), 0, 0, tempo).riders).toEqual([])
    // When their prices are nearly over, they come along, and the next call is put off.
    const old = Array.from({ length: 15 }, () => slot(6 * SECOND, MINUTE))
    expect(load(queueOf([...old]), 3, 0, tempo).riders).toHaveLength(15)
  })

  test('fill the last request and begin no further one', () => {
    const soon = () => Array.from({ length: 60 }, (_, index) => slot(index + 1, MINUTE))
    expect(load(queueOf(soon()), 45, 0, tempo).riders).toHaveLength(5)
    expect(load(queueOf(soon()), 50, 0, tempo).riders).toHaveLength(0)
    expect(load(queueOf(soon()), 3, 0, { ...tempo, crowded: true }).riders).toHaveLength(47)
  })

  test('do not ride with one other: two single calls cost the same now and later', () => {
    expect(load(queueOf([slot(1, MINUTE)]), 1, 0, tempo).riders).toEqual([])
  })
})

describe('the schedule', () => {
  test('lets a slow watch ride on the calls of a fast one', async () => {
    const { feed, fake, clock } = stage()
    const start = clock.now()
    noted(feed, some(4), MINUTE)
    noted(feed, some(3, 4), 90 * SECOND)
    await clock.advance(3 * MINUTE + SECOND)
    // Alone the slow one would have had its own calls after 90 and 180 seconds.
    expect(requests(fake, start)).toEqual([
      [5, 7],
      [60_005, 7],
      [120_005, 7],
      [180_005, 7],
    ])
  })

  test('brings watches together that began apart', async () => {
    const { feed, fake, clock } = stage()
    noted(feed, some(5), 5 * MINUTE)
    await clock.advance(2 * MINUTE)
    noted(feed, some(5, 5), 10 * MINUTE)
    await clock.advance(8 * MINUTE)
    const before = fake.journal().length
    await clock.advance(60 * MINUTE)
    expect(fake.journal().length - before).toBe(12)
  })

  test('asks early enough for the price to be there when the old one is too old', async () => {
    const { feed, clock } = stage({}, { latencyMs: 400 })
    const { prices } = noted(feed, some(1)[0] ?? '', 10 * SECOND)
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
})
