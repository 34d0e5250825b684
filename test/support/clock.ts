import type { Clock } from 'etn-market'
import { settle } from './settle.ts'

/**
 * Time that stands still until a test moves it. As real clocks do, the wall clock shows whole milliseconds, the monotonic one has fractions, and the
 * two drift apart by a millisecond in about five minutes.
 */
export interface VirtualClock extends Clock {
  /** Moves the time forward and fires the timers in their order. What a timer sets off ends before the next one fires. */
  advance(ms: number): Promise<void>
  /** Moves the time forward; timers fire late, as they do when the event loop is busy. */
  jump(ms: number): void
  /** Sets the wall clock forward or back. Timers and `monotonic()` do not notice. */
  stepWallClock(ms: number): void
  /** The machine sleeps: timers stand still. @param isCertain whether `monotonic()` counts it */
  suspend(ms: number, isCertain: boolean): void
  /** Timers that have not fired. */
  readonly pending: number
  /** The length of every wait that was started, milliseconds. */
  readonly waits: readonly number[]
  /** The result of `random()`. */
  randomValue: number
}

interface Timer {
  readonly at: number
  fire(): void
}

/** Runs everything that does not wait for time. */
export const flush = settle

/** Sums with it are rounded, as those of real clocks are: a moment that is computed in two ways may differ by a rounding. */
const PHASE_MS = 1_234.5678
const DRIFT_MS = 2 ** -10
const DRIFT_EVERY_MS = 256

export const START = Date.UTC(2026, 10, 20, 12)

export function createVirtualClock(start = START): VirtualClock {
  const timers = new Set<Timer>()
  const waits: number[] = []
  let now = start
  let wallClockOffset = 0
  let sleptMs = 0
  const drift = () => Math.floor((now - start) / DRIFT_EVERY_MS) * DRIFT_MS

  const next = (until: number) => {
    let first: Timer | undefined
    for (const timer of timers) if (timer.at <= until && (first === undefined || timer.at < first.at)) first = timer
    return first
  }

  return {
    randomValue: 0,
    waits,
    now: () => Math.floor(now + wallClockOffset),
    monotonic: () => now - start + sleptMs + PHASE_MS + drift(),
    random() {
      return this.randomValue
    },
    get pending() {
      return timers.size
    },
    sleep(ms, signal) {
      if (!(ms >= 0)) throw new RangeError(`A wait of ${ms} ms`)
      waits.push(ms)
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const onAbort = () => {
          timers.delete(timer)
          reject(signal?.reason)
        }
        const timer = {
          at: now + ms,
          fire: () => {
            timers.delete(timer)
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        timers.add(timer)
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    },
    jump(ms) {
      now += ms
    },
    stepWallClock(ms) {
      wallClockOffset += ms
    },
    suspend(ms, isCertain) {
      wallClockOffset += ms
      if (isCertain) sleptMs += ms
    },
    async advance(ms) {
      const until = now + ms
      await flush()
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        now = Math.max(now, timer.at)
        timer.fire()
        await flush()
      }
      now = until
    },
  }
}

/** Real time that began at `start`, for a fake service: which tokens it lists, and in which order, depends on the date. */
export function createRunningClock(start = START): { now(): number } {
  const offset = start - Date.now()
  return { now: () => Date.now() + offset }
}
