import { expect, test } from 'vitest'
import { MINUTE, recordWatch, requests, SECOND, setupFeed, some } from './setup.ts'

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
