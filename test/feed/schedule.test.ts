import { expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
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

test.each([
  ['is slow', 0],
  ['was sent before the machine slept', 60 * MINUTE],
])(
  'a watch that joins while a price request %s waits for its answer, without a timer after the other',
  async (_, sleepMs) => {
    const clock = createVirtualClock()
    let timers = 0
    const sleep: typeof clock.sleep = (ms, signal) => {
      // They would go on at the same moment for ever.
      timers++
      return timers > 1_000 ? new Promise(() => {}) : clock.sleep(ms, signal)
    }
    const { feed, fake } = setupFeed({ clock: { ...clock, sleep } }, { latencyMs: 10 * SECOND }, {}, clock)
    const [address = ''] = some(1)
    const asked = watch(feed.price(address, { maxAgeMs: MINUTE }))
    await clock.advance(6 * SECOND)
    clock.suspend(sleepMs, false)
    recordWatch(feed, address, 5 * SECOND)
    await clock.advance(3 * SECOND)
    expect(timers).toBeLessThan(20)
    expect(requests(fake, clock.now())).toHaveLength(1)
    await clock.advance(20 * SECOND)
    expect(asked.state).toBe('resolved')
  },
)
