import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LineTimes } from '../../src/cli/line-times.ts'
import { DueTime } from '../../src/cli/line-times.ts'
import { AgeClock } from '../../src/concurrency/clock.ts'
import { DAY_MS as DAY, formatDuration } from '../../src/utils/time-units.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = Date.UTC(2026, 10, 20, 12)

const EVERY_MINUTE: LineTimes = { everyMs: MINUTE, span: { from: 0, length: 1_440 } }
const DAILY: LineTimes = { once: 3 * 60, everyMs: DAY }

/** Takes what is due, one after the other, and returns when that was. */
function takeAll(due: DueTime): number[] {
  const taken: number[] = []
  while (due.wait() <= 0 && taken.length < 1_000) taken.push(due.take())
  return taken
}

describe.each([
  ['counted by the monotonic clock', true],
  ['shown by the wall clock alone', false],
])('after a sleep that is %s', (_, isCertain) => {
  test('what was missed is made up for once, and the next time is an interval later at most', async () => {
    const clock = createVirtualClock(NOON)
    const due = new DueTime(EVERY_MINUTE, undefined, new AgeClock(clock))
    expect(takeAll(due)).toEqual([NOON])
    clock.suspend(8 * HOUR + 20_000, isCertain)
    expect(takeAll(due)).toEqual([NOON + 8 * HOUR])
    expect(due.wait()).toBe(40_000)
  })

  test('a daily line is done each day, however little of it was awake', async () => {
    const clock = createVirtualClock(NOON)
    const due = new DueTime(DAILY, { last: NOON - DAY, isOpen: false }, new AgeClock(clock))
    expect(takeAll(due)).toHaveLength(1)
    for (let day = 1; day <= 7; day++) {
      await clock.advance(HOUR)
      clock.suspend(23 * HOUR, isCertain)
      expect(takeAll(due)).toEqual([NOON + day * DAY - 9 * HOUR])
    }
  })
})

test('a clock that is set back within half a day repeats no daily line', async () => {
  const clock = createVirtualClock(NOON)
  const due = new DueTime(DAILY, { last: NOON - DAY, isOpen: false }, new AgeClock(clock))
  takeAll(due)
  await clock.advance(16 * HOUR)
  expect(takeAll(due)).toHaveLength(1)
  clock.stepWallClock(-3 * HOUR)
  await clock.advance(4 * HOUR)
  expect(takeAll(due)).toEqual([])
  await clock.advance(24 * HOUR)
  expect(takeAll(due)).toHaveLength(1)
})

const happening = fc.record({
  does: fc.constantFrom('pass', 'step', 'sleep certainly', 'sleep'),
  ms: fc.oneof(fc.integer({ min: 0, max: 2 * HOUR }), fc.integer({ min: 0, max: 400 * DAY })),
  isBack: fc.boolean(),
  /** How often it is looked meanwhile. */
  lookEveryMs: fc.constantFrom(20_000, 300_000),
})

testProperty(
  'whatever the clocks do, nothing is due more than once at a time, or waits for longer than an interval',
  fc.asyncProperty(
    fc.array(happening, { maxLength: 12 }),
    fc.constantFrom<LineTimes[]>(EVERY_MINUTE, { everyMs: 6 * HOUR, span: { from: 0, length: 1_440 } }, DAILY),
    async (happenings, times) => {
      const clock = createVirtualClock(NOON)
      const due = new DueTime(times, { last: NOON - DAY, isOpen: false }, new AgeClock(clock))
      for (const { does, ms, isBack, lookEveryMs } of happenings) {
        if (does === 'step') clock.stepWallClock(isBack ? -ms : ms)
        else if (does === 'pass') clock.jump(Math.min(ms, lookEveryMs))
        else clock.suspend(ms, does === 'sleep certainly')
        expect(takeAll(due).length).toBeLessThanOrEqual(1)
        expect(due.wait()).toBeGreaterThan(0)
        // A daily line that was done at a moment of a clock that was set back waits for half a day at most.
        expect(due.wait()).toBeLessThanOrEqual(times.everyMs + (times === DAILY ? DAY / 2 : 0))
      }
    },
  ),
  { cases: 300 },
)

test('a length of time is written in its largest unit, and none as 0', () => {
  expect([1, 4, 1_500, 90_000, DAY].map(formatDuration)).toEqual(['0.001s', '0.004s', '1.5s', '1.5m', '1d'])
})
