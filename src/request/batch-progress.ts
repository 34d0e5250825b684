import { type Clock, monotonicNow, startTimer } from '../concurrency/clock.ts'
import { TimeoutError } from '../errors/api.ts'
import { StarterFailure } from '../errors/budget.ts'
import type { BatchProgress } from './types.ts'

/** After so many requests in a row that timed out, nothing more of the call is sent. */
const MAX_TIMEOUTS = 3

/** @param endCall ends the call whose requests did not all fit */
export function createBatchProgress(
  clock: Clock,
  deadlineMs: number,
  endCall: (reason: unknown) => void,
): BatchProgress {
  const callbacks = new Set<() => void>()
  let needed = 0
  let unreserved = 0
  let refusal: unknown
  let isDecided = false
  let allow = () => {}
  let forbid = (_failure: StarterFailure) => {}
  const allReserved = new Promise<void>((resolve, reject) => {
    allow = resolve
    forbid = reject
  })
  allReserved.catch(() => {})
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
    allReserved,
    get needed() {
      return needed
    },
    beginReserving(credits) {
      needed += credits
      unreserved++
    },
    endReserving(reason) {
      unreserved--
      if (isDecided) {
        if (reason !== undefined) throw new StarterFailure(reason)
        return
      }
      refusal ??= reason
      if (unreserved > 0) return
      isDecided = true
      if (refusal === undefined) return allow()
      forbid(new StarterFailure(refusal))
      endCall(refusal)
    },
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
      throw new StarterFailure(new TimeoutError(message, { code: 'batch_stopped', operation: 'prices.batch' }))
    },
    end: () => stopTimer(),
  }
}
