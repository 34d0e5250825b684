import type { FeedPrice } from 'etn-market/feed'
import { expect, test } from 'vitest'
import { createSnapshot } from '../../src/react/use-prices.ts'

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

const price = { address: BOLT, usd: '1', etn: '1', at: 1, ageMs: 0, stale: false } as unknown as FeedPrice

test('a price that becomes stale between two calls in a row is shown when its watch reports it', () => {
  let known: FeedPrice = price
  const snapshot = createSnapshot({ peek: () => known }, [BOLT])
  const first = snapshot.get()
  expect(first).toEqual({ [BOLT]: price })
  known = { ...price, stale: true }
  expect(snapshot.get()).toBe(first)
  snapshot.deliver(known)
  const second = snapshot.get()
  expect(second).toEqual({ [BOLT]: known })
  expect(snapshot.get()).toBe(second)
})

test('what is reported and is no change leaves the object as it was', () => {
  const snapshot = createSnapshot({ peek: () => price }, [BOLT])
  const first = snapshot.get()
  snapshot.look()
  snapshot.deliver({ ...price, ageMs: 5 })
  expect(snapshot.get()).toBe(first)
})
