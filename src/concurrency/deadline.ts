import { type Clock, monotonicNow, startTimer } from './clock.ts'

/** A time limit that can stand still. */
export interface Deadline {
  /** Milliseconds that are left. */
  remaining(): number
  /** Stops the time until `resume()`. */
  pause(): void
  resume(): void
  /** Ends it without a call of `onExpire`; no timer is left. */
  stop(): void
}

/** Starts a time limit; `onExpire` is called once when the time that it ran adds up to `ms`. */
export function startDeadline(clock: Clock, ms: number, onExpire: () => void): Deadline {
  let left = ms
  let startedAt = 0
  let isRunning = false
  let stopTimer = () => {}

  const elapsed = () => (isRunning ? Math.max(0, monotonicNow(clock) - startedAt) : 0)
  const pause = () => {
    left -= elapsed()
    isRunning = false
    stopTimer()
  }
  const resume = () => {
    if (isRunning) return
    isRunning = true
    startedAt = monotonicNow(clock)
    stopTimer = startTimer(clock, Math.max(0, left), onExpire)
  }

  resume()
  return { remaining: () => Math.max(0, left - elapsed()), pause, resume, stop: pause }
}
