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

/** What the deadlines of one client have in common. */
export interface DeadlineCourse {
  /** When progress was made last, in monotonic time. */
  lastProgress(): number
  /** Records that a call is ended early. */
  recordEarlyEnd(): void
}

/** Starts a time limit; `onExpire` is called once when the time that it ran adds up to `ms`. */
export function startDeadline(clock: Clock, ms: number, onExpire: () => void, course: DeadlineCourse): Deadline {
  return new RunningDeadline(clock, ms, onExpire, course)
}

/** A class, because each call has one. */
class RunningDeadline implements Deadline {
  readonly #clock: Clock
  readonly #ms: number
  readonly #onExpire: () => void
  readonly #course: DeadlineCourse
  readonly #startedAt: number
  #stoodStillMs = 0
  /** What the timer does not know of yet. */
  #owedMs = 0
  #queuedAt: number | undefined
  #stopTimer: () => void

  constructor(clock: Clock, ms: number, onExpire: () => void, course: DeadlineCourse) {
    this.#clock = clock
    this.#ms = ms
    this.#onExpire = onExpire
    this.#course = course
    this.#startedAt = monotonicNow(clock)
    this.#stopTimer = startTimer(clock, Math.max(0, ms), () => this.#expire())
  }

  remaining(): number {
    this.#noteProgress()
    const ranMs = Math.max(0, monotonicNow(this.#clock) - this.#startedAt)
    return Math.max(0, this.#ms + this.#stoodStillMs - ranMs)
  }

  enterQueue(): void {
    this.#queuedAt ??= monotonicNow(this.#clock)
  }

  leaveQueue(): void {
    this.#noteProgress()
    this.#queuedAt = undefined
  }

  stop(): void {
    this.#stopTimer()
  }

  #noteProgress(): void {
    if (this.#queuedAt === undefined) return
    const stillMs = Math.max(0, this.#course.lastProgress() - this.#queuedAt)
    this.#queuedAt += stillMs
    this.#stoodStillMs += stillMs
    this.#owedMs += stillMs
  }

  #expire(): void {
    this.#noteProgress()
    if (this.#owedMs === 0) {
      this.#course.recordEarlyEnd()
      this.#onExpire()
      return
    }
    this.#stopTimer = startTimer(this.#clock, this.#owedMs, () => this.#expire())
    this.#owedMs = 0
  }
}
