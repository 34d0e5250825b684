import fc from 'fast-check'
import { expect } from 'vitest'
import { creditsFor } from '../economics/simulate.ts'
import { testProperty } from '../support/property.ts'
import { createRandom } from '../support/random.ts'
import { omitStacks } from '../support/short-stacks.ts'
import { createStore } from '../support/store.ts'
import { MINUTE, recordWatch, SECOND, setupFeed, some } from './setup.ts'

omitStacks()

const HOUR = 60 * MINUTE

/** A store that fails for half of what it is asked. */
function failingStore(seed: number) {
  const { store } = createStore()
  const random = createRandom(seed)
  let failures = 0
  const orFail = async <T>(work: () => T) => {
    if (random() >= 0.5) return work()
    failures++
    throw new Error('The store is away.')
  }
  return {
    failures: () => failures,
    get: (key: string) => orFail(() => store.get(key)),
    set: (key: string, value: string, ttl: number) => orFail(() => store.set(key, value, ttl)),
    delete: (key: string) => orFail(() => store.delete(key)),
  }
}

const STORM = 90 * SECOND
const SPAN = 75 * MINUTE
/** The end of a storm that began at `from`, where `at` is in it. */
const within = (at: number, from: number) => (at >= from && at < from + STORM ? from + STORM : at)
const seen = { refused: 0, failures: 0 }

testProperty(
  'storms of 429, errors, lost and cut answers and a store that fails delay a price by an interval and 20 s at most, and cost little',
  fc.asyncProperty(
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.constantFrom([9, 30 * SECOND] as const, [9, MINUTE] as const, [60, MINUTE] as const),
    async (seed, [count, everyMs]) => {
      const store = failingStore(seed)
      const { feed, fake, clock } = setupFeed({ store, budget: { creditsPerDay: 10_000_000 } }, { latencyMs: 80 })
      const watched = recordWatch(feed, some(count), everyMs)
      const begun = clock.now()
      const storms: number[] = []
      const random = createRandom(seed + 1)
      fake.fault({ probability: 0.05, status: 500 })
      fake.fault({ probability: 0.01, reset: 'after' })
      fake.fault({ probability: 0.01, truncate: 0.5 })
      let next = 10 * MINUTE + Math.floor(random() * 30 * MINUTE)
      while (next + 5 * MINUTE < SPAN) {
        await clock.advance(begun + next - clock.now())
        const storm = fake.fault({ status: 429, retryAfter: '5', times: Number.POSITIVE_INFINITY })
        storms.push(clock.now())
        await clock.advance(STORM)
        storm.remove()
        next += 15 * MINUTE + Math.floor(random() * HOUR)
      }
      await clock.advance(begun + SPAN - clock.now())
      const costs = fake.charged() / ((SPAN / everyMs) * creditsFor(count))
      expect(costs).toBeLessThanOrEqual(1.07)
      // What is due in a storm is due when it ends.
      const dueFrom = (at: number) => storms.reduce((due, from) => Math.max(due, within(due, from)), at)
      const lastAt = new Map<string, number>()
      for (const { address, at, ageMs } of watched.prices) {
        const before = lastAt.get(address)
        const dueAt = dueFrom((before ?? begun) + (before === undefined ? 0 : everyMs))
        expect(at + ageMs - dueAt).toBeLessThanOrEqual(everyMs + 20 * SECOND)
        lastAt.set(address, at + ageMs)
      }
      expect(lastAt.size).toBe(count)
      for (const at of lastAt.values())
        expect(clock.now() - dueFrom(at + everyMs)).toBeLessThanOrEqual(everyMs + 20 * SECOND)
      const refused = fake.journal().filter(({ status }) => status === 429)
      for (const { at } of refused)
        expect(refused.filter((other) => other.at >= at && other.at < at + MINUTE).length).toBeLessThanOrEqual(12)
      expect(feed.status().state).toBe('running')
      seen.refused += refused.length
      seen.failures += store.failures()
    },
  ),
  {
    cases: 2,
    afterAll: () => {
      expect(seen.refused).toBeGreaterThan(20)
      expect(seen.failures).toBeGreaterThan(1_000)
    },
  },
)
