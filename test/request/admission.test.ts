import { expect, test } from 'vitest'
import type { Admission, AdmissionRequest } from '../../src/concurrency/admission-types.ts'
import { LightAbortController } from '../../src/concurrency/cancellation.ts'
import { ClientAdmission } from '../../src/request/admission.ts'
import { createVirtualClock } from '../support/clock.ts'

// What calls and answers show of it is in test/behaviour/cooldown.test.ts and heavy.test.ts.

test('a permit that ends twice counts once', async () => {
  const clock = createVirtualClock()
  const admission = new ClientAdmission(clock, 2)
  const request: AdmissionRequest = {
    isHeavy: false,
    apiKey: 'key',
    signal: new LightAbortController(),
    arrival: 1,
    rejectWait: () => undefined,
    setQueued: () => {},
    recordProgress: () => {},
    awaitState: (work) => work,
  }
  const admitAtOnce = () => admission.admit(request) as Admission
  admitAtOnce().refuse('key', 1_000)
  await clock.advance(1_000)
  const probe = admitAtOnce()
  expect(admission.admit(request)).toBeInstanceOf(Promise)
  probe.end('failed')
  probe.end('failed')
  expect(probe.refuse('key', 5_000)).toBe(5_000)
  // The one that waits is the next probe, and no other one goes beside it.
  await Promise.resolve()
  expect(probe.isCurrent()).toBe(true)
  expect(admission.admit(request)).toBeInstanceOf(Promise)
})
