import { vi } from 'vitest'
import type { VirtualClock } from '../support/clock.ts'
import { fakeForThisTest } from '../support/fake-timers.ts'
import { onCaseFinished } from '../support/property.ts'

const LEFT = new Error('The timer was stopped.')

/** A budget measures the time of its store by the timers of the system. */
export function fakeStoreTimers(clock: VirtualClock): void {
  const { clearTimeout } = globalThis
  fakeForThisTest(() =>
    vi.stubGlobal('setTimeout', (callback: () => void, ms = 0) => {
      const stopping = new AbortController()
      clock.sleep(ms, stopping.signal).then(callback, () => {})
      return stopping
    }),
  )
  vi.stubGlobal('clearTimeout', (timer: NodeJS.Timeout | AbortController | undefined) =>
    timer instanceof AbortController ? timer.abort(LEFT) : clearTimeout(timer),
  )
  onCaseFinished(() => {
    vi.unstubAllGlobals()
  })
}
