import type { Cancel } from './abort.ts'

/** The one seam to time. Hand a client its own to run it in virtual time. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Resolves after `ms`; rejects with `signal.reason`, and leaves no timer, as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1), for jitter. */
  random(): number
}

/** Sleeps until the time is over or the sleeper is cancelled; a clock of somebody's own may expect a real AbortSignal. */
export async function sleep(clock: Clock, ms: number, cancel: Cancel): Promise<void> {
  cancel.throwIfAborted()
  const controller = new AbortController()
  const onAbort = () => controller.abort(cancel.reason)
  cancel.addEventListener('abort', onAbort)
  try {
    await clock.sleep(ms, controller.signal)
  } catch (error) {
    cancel.throwIfAborted()
    throw error
  } finally {
    cancel.removeEventListener('abort', onAbort)
  }
}

/** Timers overflow, and fire at once, beyond 2^31 - 1 ms. */
const LONGEST_TIMER_MS = 2_147_483_647

/** Real time. Looks up `Date` and `setTimeout` at each use, so that fake timers installed later work. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = startSystemTimer(ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      const onAbort = () => {
        stop()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
}

/** Calls back once after `ms` unless stopped before. An infinite `ms` never calls back. */
export function startTimer(clock: Clock, ms: number, callback: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {}
  if (clock === systemClock) return startSystemTimer(ms, callback)
  const controller = new AbortController()
  clock.sleep(ms, controller.signal).then(callback, () => {})
  return () => controller.abort()
}

function startSystemTimer(ms: number, callback: () => void): () => void {
  if (ms <= LONGEST_TIMER_MS) {
    const handle = setTimeout(callback, ms)
    return () => clearTimeout(handle)
  }
  let stop = startSystemTimer(LONGEST_TIMER_MS, () => {
    stop = startSystemTimer(ms - LONGEST_TIMER_MS, callback)
  })
  return () => stop()
}
