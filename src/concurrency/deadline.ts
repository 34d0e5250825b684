import { type Clock, monotonicNow, startTimer } from './clock.ts'

/** A time limit that can stand still. */
export interface Deadline {
  /** Milliseconds that are left. */
  remaining(): number
  /** From now on it stands still up to each moment at which progress is made, until `leaveQueue()`; after the last one it runs. */
  enterQueue(): void
  leaveQueue(): void
  /** Ends it without a call of `onExpire`; no timer is left. */
  stop(): void
}

/**
 * Starts a time limit; `onExpire` is called once when the time that it ran adds up to `ms`.
 * @param progressAt when progress was made last, in monotonic time
 */
export function startDeadline(
  clock: Clock,
  ms: number,
  onExpire: () => void,
  progressAt = () => Number.NEGATIVE_INFINITY,
): Deadline {
  const startedAt = monotonicNow(clock)
  let stoodStillMs = 0
  /** What the timer does not know of yet. */
  let owedMs = 0
  let queuedAt: number | undefined
  let stopTimer = startTimer(clock, Math.max(0, ms), expire)

  function noteProgress(): void {
    if (queuedAt === undefined) return
    const stillMs = Math.max(0, progressAt() - queuedAt)
    queuedAt += stillMs
    stoodStillMs += stillMs
    owedMs += stillMs
  }

  function expire(): void {
    noteProgress()
    if (owedMs === 0) {
      onExpire()
      return
    }
    stopTimer = startTimer(clock, owedMs, expire)
    owedMs = 0
  }

  return {
    remaining() {
      noteProgress()
      return Math.max(0, ms + stoodStillMs - Math.max(0, monotonicNow(clock) - startedAt))
    },
    enterQueue() {
      queuedAt ??= monotonicNow(clock)
    },
    leaveQueue() {
      noteProgress()
      queuedAt = undefined
    },
    stop: () => stopTimer(),
  }
}
