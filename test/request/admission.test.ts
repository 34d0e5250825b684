import fc from 'fast-check'
import { expect } from 'vitest'
import type { Admission } from '../../src/concurrency/admission-types.ts'
import { LightAbortController } from '../../src/concurrency/cancellation.ts'
import { createAdmissionControl } from '../../src/request/admission.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { watch } from '../support/setup.ts'

const HEAVY_SLOTS = 2
/** More looks at a wait than any request needs: requests that pass permits to each other for ever would block the event loop. */
const MAX_LOOKS = 20_000
const MINUTE = 60_000

const actions = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('arrive'), isHeavy: fc.boolean(), key: fc.nat(1) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('end'), of: fc.nat(9), succeeds: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('refuse'),
        of: fc.nat(9),
        scope: fc.constantFrom('heavy' as const, 'key' as const),
        ms: fc.nat(3_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('abort'), of: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('advance'), ms: fc.nat(2_000) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('step'), ms: fc.nat(100) }) },
  ),
  { maxLength: 40 },
)

interface Sent {
  readonly admission: Admission
  readonly isHeavy: boolean
}

function createScene() {
  const clock = createVirtualClock()
  const control = createAdmissionControl(clock, HEAVY_SLOTS)
  const signals = new Set<LightAbortController>()
  const sent: Sent[] = []
  let looks = 0
  const look = () => {
    if (++looks > MAX_LOOKS) throw new Error('the requests pass permits to each other for ever')
    return undefined
  }

  return {
    clock,
    sent,
    signals,
    arrive(isHeavy: boolean, key: number) {
      const signal = new LightAbortController()
      signals.add(signal)
      const request = {
        signal,
        isHeavy,
        apiKey: `key ${key}`,
        arrival: control.nextArrival(),
        rejectWait: look,
        whileQueued: <T>(wait: Promise<T>) => wait,
        progress: { isAwaitingState: false },
      }
      const admitted = Promise.resolve(control.admit(request))
      admitted.then(
        (admission) => {
          signals.delete(signal)
          if (admission.isCurrent()) sent.push({ admission, isHeavy })
          else admission.end('unused')
        },
        () => signals.delete(signal),
      )
      return watch(admitted)
    },
  }
}

testProperty(
  'every request is admitted or aborted once the service recovers, whatever it refused and in whatever order',
  fc.asyncProperty(actions, async (run) => {
    const { clock, sent, signals, arrive } = createScene()
    const outcomes = []
    const take = (of: number) => sent.splice(of % Math.max(1, sent.length), 1)[0]
    for (const action of run) {
      if (action.type === 'arrive') outcomes.push(arrive(action.isHeavy, action.key))
      if (action.type === 'end') take(action.of)?.admission.end(action.succeeds ? 'succeeded' : 'failed')
      if (action.type === 'abort') [...signals][action.of]?.abort(new Error('aborted'))
      if (action.type === 'step') clock.jump(action.ms)
      if (action.type === 'advance') await clock.advance(action.ms)
      if (action.type === 'refuse') {
        const refused = take(action.of)
        refused?.admission.refuse(refused.isHeavy ? action.scope : 'key', action.ms)
      }
      expect(sent.filter(({ isHeavy }) => isHeavy).length).toBeLessThanOrEqual(HEAVY_SLOTS)
    }
    for (let turn = 0; turn < 200; turn++) {
      await clock.advance(turn < 100 ? 0 : MINUTE)
      take(0)?.admission.end('succeeded')
    }
    expect(sent).toEqual([])
    expect(outcomes.filter(({ state }) => state === 'pending')).toHaveLength(0)
    expect(clock.pending).toBe(0)
  }),
  { cases: 500 },
)
