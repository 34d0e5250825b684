import { fakeTokens } from 'etn-market/fake'
import type { FeedPrice } from 'etn-market/feed'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createVirtualClock, START } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { MINUTE, SECOND, setupFeed } from './setup.ts'

const { BOLT, CORE } = fakeTokens
const HOUR = 60 * MINUTE
/** What buys both. */
const PURCHASE = 120

const happening = fc.record({
  does: fc.constantFrom('pass', 'stall', 'sleep', 'sleep certainly', 'forward', 'back'),
  ms: fc.oneof(fc.integer({ min: 2_000, max: 10 * MINUTE }), fc.integer({ min: 2_000, max: 72 * HOUR })),
  /** What passes before it, with a fraction. */
  afterMs: fc.integer({ min: 12_000, max: 3 * MINUTE }).map((ms) => ms + 0.375),
})

testProperty(
  'whatever the clocks do, no price is shown younger than it is, each is bought once for a jump, and what was missed is made up for within an interval',
  () =>
    fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (happenings, hasStore) => {
        const clock = createVirtualClock()
        let slept = 0
        let stepped = 0
        const truth = () => clock.now() - stepped
        // The service neither sleeps nor has its clock set.
        const service = { clock: { ...clock, now: truth } }
        const options = hasStore ? { store: new Map<string, string>() } : {}
        const { fake, feed } = setupFeed(options, service, {}, clock)
        const boughtAt = new Map<string, number>()
        const wrong: string[] = []
        let delivered = 0
        const check = (price: FeedPrice, from: string) => {
          const ageMs = truth() - (boughtAt.get(price.address) ?? 0)
          // Two clocks are read one after the other, and the service answers within five milliseconds.
          // The object of `peek` stays the same while nothing changes, and has the age that it had at first.
          if (from === 'onPrice' && price.ageMs < ageMs - 10)
            wrong.push(`${from} says ${price.ageMs} ms, and it is ${ageMs} ms old`)
          if (!price.stale && ageMs > MINUTE + 10) wrong.push(`${from} calls ${ageMs} ms young`)
          if (price.ageMs < 0) wrong.push(`${from} has an age of ${price.ageMs}`)
        }
        let seen = 0
        const note = () => {
          for (const { at, path } of fake.journal().slice(seen))
            for (const address of [BOLT, CORE])
              if (path.toLowerCase().includes(address.toLowerCase())) boughtAt.set(address, at)
          seen = fake.journal().length
        }
        feed.watch([BOLT, CORE], {
          everyMs: MINUTE,
          onPrice(price) {
            note()
            if (!price.stale) delivered++
            check(price, 'onPrice')
            const known = feed.peek(price.address)
            if (known?.stale !== price.stale) wrong.push(`peek says ${known?.stale}, and onPrice ${price.stale}`)
          },
        })
        await clock.advance(SECOND)
        let jumps = 0
        for (const { does, ms, afterMs } of happenings) {
          await clock.advance(afterMs)
          const before = fake.charged()
          if (does === 'pass') await clock.advance(Math.min(ms, 10 * MINUTE))
          else if (does === 'stall') clock.jump(ms)
          else if (does === 'forward' || does === 'back') {
            const step = does === 'back' ? -ms : ms
            clock.stepWallClock(step)
            stepped += step
          } else {
            clock.suspend(ms, does === 'sleep certainly')
            slept += ms
          }
          note()
          for (const address of [BOLT, CORE]) {
            const known = feed.peek(address)
            if (known) check(known, 'peek')
          }
          if (does !== 'pass') {
            if (does !== 'back') jumps++
            await clock.advance(SECOND)
            // No storm in the first second.
            if (fake.charged() - before > PURCHASE) wrong.push(`${fake.charged() - before} credits at once`)
            delivered = 0
            await clock.advance(MINUTE + 11 * SECOND)
            if (delivered < 2) wrong.push(`${delivered} prices in the interval after: ${does}`)
          }
        }
        expect(wrong).toEqual([])
        const awake = truth() - START - slept
        expect(fake.charged()).toBeLessThanOrEqual(PURCHASE * (2 + Math.ceil(awake / MINUTE) + jumps))
        await feed.close()
      },
    ),
  { cases: 30 },
)
