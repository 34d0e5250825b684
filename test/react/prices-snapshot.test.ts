import type { FeedPrice } from 'etn-market/feed'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSnapshot } from '../../src/react/use-prices.ts'

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const price = { address: BOLT, usd: '1', etn: '1', at: 1, ageMs: 0, stale: false } as unknown as FeedPrice

test('a price that becomes stale between two calls in a row is reported at the next moment', () => {
  let known: FeedPrice = price
  const getSnapshot = createSnapshot({ peek: () => known }, [BOLT])
  const first = getSnapshot()
  expect(first).toEqual({ [BOLT]: price })
  known = { ...price, stale: true }
  expect(getSnapshot()).toBe(first)
  vi.advanceTimersByTime(50)
  const second = getSnapshot()
  expect(second).toEqual({ [BOLT]: known })
  expect(getSnapshot()).toBe(second)
})

test('a new price is reported at once', () => {
  let known: FeedPrice | undefined
  const getSnapshot = createSnapshot({ peek: () => known }, [BOLT])
  expect(getSnapshot()[BOLT]).toBeUndefined()
  known = price
  expect(getSnapshot()[BOLT]).toBe(price)
  known = { ...price, usd: '2', at: 2 }
  expect(getSnapshot()[BOLT]).toBe(known)
})
