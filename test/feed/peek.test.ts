import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { MINUTE, recordWatch, setupFeed } from './setup.ts'

const { BOLT, CORE, DYNO } = fakeTokens

test('peek returns the known price without a request, as one object until it changes', async () => {
  const { feed, fake, clock } = setupFeed()
  expect(feed.peek(BOLT)).toBeUndefined()
  const { stop } = recordWatch(feed, [BOLT, CORE, DYNO], MINUTE)
  await clock.advance(10)
  const first = feed.peek(BOLT)
  expect(first).toMatchObject({ address: BOLT, usd: expect.any(String), stale: false })
  await clock.advance(MINUTE / 2)
  const spelled = feed.peek(BOLT.toLowerCase())
  expect(spelled).toMatchObject({ address: BOLT.toLowerCase() })
  expect(feed.peek(BOLT)).toBe(first)
  expect(feed.peek(BOLT.toLowerCase())).toBe(spelled)
  await clock.advance(MINUTE / 2)
  expect(feed.peek(BOLT)).not.toBe(first)
  stop()
  await clock.advance(10 * MINUTE)
  expect(feed.peek(BOLT)).toMatchObject({ stale: true })
  expect(feed.peek(BOLT)).toBe(feed.peek(BOLT))
  fake.expectCredits(260)
})

test('subscribe calls its listener after each new price, until it is stopped', async () => {
  const { feed, clock } = setupFeed()
  const seen: unknown[] = []
  const stop = feed.subscribe(() => void seen.push(feed.peek(BOLT)?.at))
  const failing = feed.subscribe(() => {
    throw new Error('mine')
  })
  recordWatch(feed, BOLT, MINUTE)
  await clock.advance(MINUTE + 10)
  expect(seen).toHaveLength(2)
  expect(seen[1]).toBeGreaterThan(Number(seen[0]))
  stop()
  failing()
  await clock.advance(MINUTE)
  expect(seen).toHaveLength(2)
})
