import { type Clock, monotonicNow, startTimer } from '../concurrency/clock.ts'
import { TimeoutError } from '../errors/network.ts'
import type { BatchProgress } from './types.ts'

/** After so many requests in a row that timed out, nothing more of the call is sent. */
const MAX_TIMEOUTS = 3

export function createBatchProgress(clock: Clock, deadlineMs: number): BatchProgress {
  const callbacks = new Set<() => void>()
  let answeredAt = monotonicNow(clock)
  let timeouts = 0
  let stopTimer = () => {}

  function watch(): void {
    const idleMs = monotonicNow(clock) - answeredAt
    if (idleMs < deadlineMs) stopTimer = startTimer(clock, deadlineMs - idleMs, watch)
    else for (const callback of [...callbacks]) callback()
  }
  watch()

  const recordAnswer = () => {
    answeredAt = monotonicNow(clock)
  }

  return {
    recordAnswer,
    recordEnd(hasAnswer, failure) {
      if (timeouts >= MAX_TIMEOUTS) return
      timeouts = failure === 'timeout' ? timeouts + 1 : 0
      if (hasAnswer && failure !== 'timeout') recordAnswer()
    },
    onStall: (callback) => void callbacks.add(callback),
    requireProgress() {
      if (timeouts < MAX_TIMEOUTS) return
      const message = `prices.batch: ${MAX_TIMEOUTS} requests in a row timed out, so nothing more was sent. Try again later.`
      throw new TimeoutError(message, { code: 'batch_stopped', operation: 'prices.batch' })
    },
    end: () => stopTimer(),
  }
}
