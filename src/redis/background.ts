import { LightAbortController } from '../concurrency/cancellation.ts'
import { monotonicNow, sleep, systemClock, withTimeout } from '../concurrency/clock.ts'
import { exponentialBackoff } from '../utils/exponential-backoff.ts'

/** Commands that no call waits for. */
export interface Background {
  /** Repeats a command until it succeeds, `untilMs` on the monotonic clock has passed, or the fleet is closed. The first time is now. */
  repeat(run: () => Promise<unknown>, untilMs: number): void
  /** Resolves when nothing is left to do, or when no command has succeeded for `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>
  /** Ends all repetitions. */
  stop(): void
}

const MIN_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

export function createBackground(): Background {
  const live = new Set<Promise<void>>()
  let ended = 0
  const stopping = new LightAbortController()

  async function work(run: () => Promise<unknown>, untilMs: number): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        await run()
        return
      } catch {
        const pauseMs = exponentialBackoff(failures, MIN_PAUSE_MS, MAX_PAUSE_MS)
        if (monotonicNow(systemClock) + pauseMs > untilMs) return
        await sleep(systemClock, pauseMs, stopping)
      }
    }
  }

  return {
    repeat(run, untilMs) {
      const done = work(run, untilMs)
        .catch(() => {})
        .finally(() => {
          live.delete(done)
          ended++
        })
      live.add(done)
    },
    async flush(timeoutMs) {
      let before = Number.NaN
      while (live.size > 0 && ended !== before) {
        before = ended
        await withTimeout(Promise.all(live), timeoutMs, systemClock, () => {})
      }
    },
    stop: () => stopping.abort(new Error('The fleet is closed.')),
  }
}
