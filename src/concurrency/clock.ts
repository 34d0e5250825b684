import type { CancellationSignal } from './cancellation.ts'

/** The source of time and chance. Pass your own to a client to run it in virtual time. */
export interface Clock {
  /** Unix milliseconds. The wall clock: it may be set back or forward at any moment. */
  now(): number
  /** Milliseconds since some moment, never set back or forward. Waits and windows are measured with it. @default now() */
  monotonic?(): number
  /** Resolves after `ms`; rejects with `signal.reason`, and leaves no timer, as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1), for jitter. */
  random(): number
}

/** Sleeps until the time is over or the signal aborts. A custom clock may expect a real AbortSignal. */
export async function sleep(clock: Clock, ms: number, signal: CancellationSignal): Promise<void> {
  signal.throwIfAborted()
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    await clock.sleep(ms, controller.signal)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The time to measure waits with: a step of the wall clock does not change it, where the clock can tell. */
export const monotonicNow = (clock: Pick<Clock, 'now' | 'monotonic'>): number => clock.monotonic?.() ?? clock.now()

/** The wall clock of this moment, which goes on with the monotonic time, if there is one: later steps of the wall clock do not change it. */
export function anchoredWallClock(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  const offset = clock.now() - monotonicNow(clock)
  return () => offset + monotonicNow(clock)
}

/** Beyond 2^31 - 1 ms a timer overflows and fires at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Real time. Looks up `Date` and `setTimeout` at each use, so that fake timers installed later work. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = startSystemTimer(ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      const onAbort = () => {
        signal?.removeEventListener('abort', onAbort)
        stop()
        reject(signal?.reason)
      }
      // Without an object of options, which would have a `signal` from a prototype that somebody has changed.
      signal?.addEventListener('abort', onAbort)
    }),
}

/** Calls back once after `ms` unless stopped before. An infinite `ms` never calls back. */
export function startTimer(clock: Clock, ms: number, callback: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {}
  if (clock === systemClock) return startSystemTimer(ms, callback)
  const controller = new AbortController()
  clock.sleep(ms, controller.signal).then(callback, () => {})
  // With a reason: without one, each timer that is stopped makes an error with a stack.
  return () => controller.abort('stopped')
}

/** Settles as `work` does, or after `ms` as `onTimeout` does; what `work` does later is ignored. No timer is left behind. */
export function withTimeout<T, U>(work: Promise<T>, ms: number, clock: Clock, onTimeout: () => U): Promise<T | U> {
  let stopTimer = () => {}
  const timeout = new Promise<void>((resolve) => {
    stopTimer = startTimer(clock, ms, resolve)
  })
  return Promise.race([work, timeout.then(onTimeout)]).finally(() => stopTimer())
}

/** Calls back once after `ms` of real time unless stopped before. It keeps no process alive, where the runtime has such timers. */
export function startBackgroundTimer(ms: number, callback: () => void): () => void {
  const handle: { unref?(): unknown } | number = setTimeout(callback, ms)
  if (typeof handle === 'object') handle.unref?.()
  return () => clearTimeout(handle as ReturnType<typeof setTimeout>)
}

function startSystemTimer(ms: number, callback: () => void): () => void {
  if (ms <= MAX_TIMER_MS) {
    const handle = setTimeout(callback, ms)
    return () => clearTimeout(handle)
  }
  let stop = startSystemTimer(MAX_TIMER_MS, () => {
    stop = startSystemTimer(ms - MAX_TIMER_MS, callback)
  })
  return () => stop()
}
